import ScanCluster
import Testing

@Suite struct SlotQueueTests {
    @Test("as many have a slot as there are, the others wait in order")
    func order() {
        var queue = SlotQueue<Int>(slots: 2)
        var begun: [Bool] = []
        for attempt in 1...4 { begun.append(queue.enter(attempt)) }
        #expect(begun == [true, true, false, false])
        var next: [Int?] = []
        for _ in 1...4 { next.append(queue.leave { _ in true }) }
        #expect(next == [3, 4, nil, nil])
        let isFree = queue.enter(5)
        #expect(isFree)
    }

    @Test("one that no longer waits is skipped")
    func passedOver() {
        var queue = SlotQueue<Int>(slots: 1)
        for attempt in 1...4 { _ = queue.enter(attempt) }
        let third = queue.leave { $0 == 3 }
        #expect(third == 3)
        let nobody = queue.leave { _ in false }
        #expect(nobody == nil)
        // The slot is free again, but for one only.
        let entries = (queue.enter(5), queue.enter(6))
        #expect(entries == (true, false))
    }
}
