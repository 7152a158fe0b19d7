import ScanBasics
import ScanNetwork
import ScanTestSupport
import Testing

@Suite("Admission")
struct AdmissionStateTests {
    @Test("takes as many tasks as slots and queue hold")
    func full() {
        var admission = NodeResources.Admission(slots: 2, queueLimit: 1)
        for _ in 0..<3 { #expect(admission.admit() == .run) }
        #expect(admission.running == 2)
        #expect(admission.queued == 1)
        #expect(admission.admit() == .refuse(.queueFull))
        #expect(admission.finish() == false)
        #expect(admission.admit() == .run)
        #expect(admission.inFlight == 3)
    }

    @Test("is drained when its last task ends")
    func drain() {
        var admission = NodeResources.Admission(slots: 1, queueLimit: 1)
        _ = admission.admit()
        _ = admission.admit()
        #expect(admission.drain() == false)
        #expect(admission.admit() == .refuse(.draining))
        #expect(admission.finish() == false)
        #expect(admission.finish() == true)
        var idle = NodeResources.Admission(slots: 1, queueLimit: 1)
        #expect(idle.drain() == true)
    }

    @Test("stays consistent under random events", arguments: 0..<20)
    func random(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var admission = NodeResources.Admission(slots: 3, queueLimit: 5)
        var taken: [Int] = []
        for _ in 0..<1000 {
            if Bool.random(using: &generator) {
                let bulk = Int.random(in: 0..<4, using: &generator)
                if admission.admit(bulk: bulk) == .run { taken.append(bulk) }
            } else if let index = taken.indices.randomElement(using: &generator) {
                _ = admission.finish(bulk: taken.remove(at: index))
            }
            #expect(admission.isConsistent)
            #expect(admission.inFlight == taken.count)
            #expect(admission.bulkBytes == taken.reduce(0, +))
        }
    }

    @Test("takes no more bulk bytes than it may, but always one task with any number of them")
    func bulk() {
        var state = NodeResources.Admission(slots: 2, queueLimit: 10, bulkLimit: 100)
        #expect(state.admit(bulk: 500) == .run)
        #expect(state.admit(bulk: 1) == .refuse(.queueFull))
        #expect(state.admit() == .run)
        _ = state.finish(bulk: 500)
        #expect(state.admit(bulk: 60) == .run)
        #expect(state.admit(bulk: 41) == .refuse(.queueFull))
        #expect(state.admit(bulk: 40) == .run)
        #expect(state.bulkBytes == 100)
        _ = state.finish(bulk: 60)
        #expect(state.admit(bulk: 60) == .run)
    }
}
