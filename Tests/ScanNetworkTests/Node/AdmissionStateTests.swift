import ScanNetwork
import ScanTestSupport
import Testing

@Suite("Admission")
struct AdmissionStateTests {
    @Test("takes as many tasks as slots and queue hold")
    func full() {
        var admission = AdmissionState(slots: 2, queueLimit: 1)
        for _ in 0..<3 { #expect(admission.admit(1) == .run) }
        #expect(admission.running == 2)
        #expect(admission.queued == 1)
        #expect(admission.admit(2) == .refuse(.queueFull))
        #expect(admission.finish(1) == false)
        #expect(admission.admit(2) == .run)
        #expect(admission.inFlight(of: 1) == 2)
        #expect(admission.inFlight(of: 2) == 1)
    }

    @Test("is drained when its last task ends")
    func drain() {
        var admission = AdmissionState(slots: 1, queueLimit: 1)
        _ = admission.admit(1)
        _ = admission.admit(1)
        #expect(admission.drain() == false)
        #expect(admission.admit(1) == .refuse(.draining))
        #expect(admission.finish(1) == false)
        #expect(admission.finish(1) == true)
        var idle = AdmissionState(slots: 1, queueLimit: 1)
        #expect(idle.drain() == true)
    }

    @Test("stays consistent under random events", arguments: 0..<20)
    func random(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var admission = AdmissionState(slots: 3, queueLimit: 5)
        var taken: [AdmissionState.Lease] = []
        for _ in 0..<1000 {
            let lease = Int.random(in: 0..<4, using: &generator)
            if Bool.random(using: &generator) {
                if admission.admit(lease) == .run { taken.append(lease) }
            } else if let index = taken.indices.randomElement(using: &generator) {
                _ = admission.finish(taken.remove(at: index))
            }
            #expect(admission.isConsistent)
            #expect(admission.inFlight == taken.count)
        }
    }

    @Test("takes no more bulk bytes than it may, but always one task with any number of them")
    func bulk() {
        var state = AdmissionState(slots: 2, queueLimit: 10, bulkLimit: 100)
        #expect(state.admit(1, bulk: 500) == .run)
        #expect(state.admit(1, bulk: 1) == .refuse(.queueFull))
        #expect(state.admit(1) == .run)
        _ = state.finish(1, bulk: 500)
        #expect(state.admit(2, bulk: 60) == .run)
        #expect(state.admit(3, bulk: 41) == .refuse(.queueFull))
        #expect(state.admit(3, bulk: 40) == .run)
        #expect(state.bulkBytes == 100)
        _ = state.finish(2, bulk: 60)
        #expect(state.admit(3, bulk: 60) == .run)
    }
}
