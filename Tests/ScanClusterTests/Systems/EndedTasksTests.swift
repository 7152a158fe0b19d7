import ScanBasics
import ScanCluster
import ScanTestSupport
import Testing

@Suite("Tasks that have ended")
struct EndedTasksTests {
    @Test("are answered one by one while few are queued")
    func few() {
        var ended = ScanSystem.EndedTasks<Int>()
        for task in 0..<3 {
            #expect(ended.append(task) == true)
            #expect(ended.isEnough(queued: ScanSystem.EndedTasks<Int>.manyQueued) == true)
            #expect(ended.take() == [task])
        }
        #expect(ended.take() == [])
    }

    @Test("wait for half of the queued ones while those are many")
    func many() {
        var ended = ScanSystem.EndedTasks<Int>()
        #expect(ended.append(0) == true)
        #expect(ended.isEnough(queued: 101) == false)
        // One that has ended, and half of the hundred that wait.
        for task in 1..<50 { #expect(ended.append(task) == false) }
        #expect(ended.append(50) == true)
        #expect(ended.isEnough(queued: 101) == true)
        #expect(ended.take() == Array(0...50))
        // It begins anew.
        #expect(ended.append(51) == true)
        #expect(ended.isEnough(queued: 1) == true)
    }

    @Test("are none forgotten and none answered twice, at whatever times they are checked", arguments: 0..<20)
    func random(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var ended = ScanSystem.EndedTasks<Int>()
        var (begun, answered) = (0, [Int]())
        var isPolling = false
        for _ in 0..<2000 {
            let queued = Int.random(in: 0..<200, using: &generator)
            if Bool.random(using: &generator) {
                isPolling = ended.append(begun) || isPolling
                begun += 1
            } else if isPolling, ended.isEnough(queued: queued) {
                answered += ended.take()
                isPolling = false
            }
        }
        #expect(answered + ended.take() == Array(0..<begun))
        #expect(answered.count > begun / 2)
    }
}
