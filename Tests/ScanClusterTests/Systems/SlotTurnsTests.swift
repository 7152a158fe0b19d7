import ScanCluster
import Testing

@Suite struct SlotTurnsTests {
    @Test("as many have a slot as there are, the others wait in order")
    func order() {
        var turns = SlotTurns<Int>(slots: 2)
        var begun: [Bool] = []
        for attempt in 1...4 { begun.append(turns.enter(attempt)) }
        #expect(begun == [true, true, false, false])
        var next: [Int?] = []
        for _ in 1...4 { next.append(turns.leave { _ in true }) }
        #expect(next == [3, 4, nil, nil])
        let isFree = turns.enter(5)
        #expect(isFree)
    }

    @Test("one that does not wait any more is passed over")
    func passedOver() {
        var turns = SlotTurns<Int>(slots: 1)
        for attempt in 1...4 { _ = turns.enter(attempt) }
        let third = turns.leave { $0 == 3 }
        #expect(third == 3)
        let nobody = turns.leave { _ in false }
        #expect(nobody == nil)
        // The slot is free again, but for one only.
        let entries = (turns.enter(5), turns.enter(6))
        #expect(entries == (true, false))
    }
}
