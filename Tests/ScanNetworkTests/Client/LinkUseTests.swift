import ScanCluster
import Testing

import ScanNetwork

@Suite struct LinkUseTests {
    @Test("the link is full while at least one connection's socket is")
    func overlap() {
        var use = LinkUse()
        func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }
        #expect(use.seconds(at: at(9)) == 0)
        for (second, isFull) in [(10, true), (12, true), (13, false)] as [(Int64, Bool)] {
            use.note(isFull: isFull, at: at(second))
        }
        #expect(use.seconds(at: at(15)) == 5)
        use.note(isFull: false, at: at(16))
        #expect(use.seconds(at: at(20)) == 6)
        use.note(isFull: true, at: at(30))
        use.note(isFull: false, at: at(31))
        #expect(use.seconds(at: at(40)) == 7)
    }
}
