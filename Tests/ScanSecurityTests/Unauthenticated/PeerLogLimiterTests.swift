import ScanCluster
import ScanSecurity
import Testing

@Suite("The limit of log lines about a peer")
struct PeerLogLimiterTests {
    let start = Instant(nanoseconds: 0)

    @Test("is one per peer and minute, with the number of those suppressed")
    func limits() {
        var limiter = PeerLogLimiter<String>()
        #expect(limiter.admit("a", at: start) == 0)
        #expect(limiter.admit("b", at: start) == 0)
        for second in 1..<60 { #expect(limiter.admit("a", at: start.advanced(by: .seconds(second))) == nil) }
        #expect(limiter.admit("a", at: start.advanced(by: .seconds(60))) == 59)
        #expect(limiter.admit("a", at: start.advanced(by: .seconds(120))) == 0)
    }

    @Test("remembers peers up to its capacity, and the rest share a line")
    func forgets() {
        var limiter = PeerLogLimiter<Int>(capacity: 3)
        for peer in 0..<3 { #expect(limiter.admit(peer, at: start) == 0) }
        #expect(limiter.admit(3, at: start) == 0)
        #expect(limiter.admit(4, at: start) == nil)
        #expect(limiter.admit(5, at: start) == nil)
        #expect(limiter.admit(2, at: start) == nil)
        let later = start.advanced(by: .seconds(60))
        #expect(limiter.admit(6, at: later) == 0)
        #expect(limiter.admit(6, at: later) == nil)
        for peer in 7..<9 { #expect(limiter.admit(peer, at: later) == 0) }
        // The next shared line reports how many were suppressed.
        #expect(limiter.admit(9, at: later) == 2)
    }
}
