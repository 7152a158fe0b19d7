import ScanCluster
import ScanNetwork
import Testing

@Suite struct LinkRateTests {
    @Test("The rate of a link is that of its acknowledged bytes while its socket is full")
    func rate() {
        func moment(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }
        var rate = LinkRate()
        rate.measure(delivered: 5_000_000, at: moment(100))
        rate.note(isFull: true, delivered: 5_000_000, at: moment(100))
        rate.note(isFull: false, delivered: 6_000_000, at: moment(110))
        #expect(rate.bytesPerSecond == nil)
        rate.note(isFull: true, delivered: 50_000_000, at: moment(1000))
        rate.measure(delivered: 51_000_000, at: moment(1010))
        #expect(rate.bytesPerSecond == nil)
        rate.measure(delivered: 60_000_000, at: moment(1100))
        #expect(rate.bytesPerSecond == 100e6)
        // While the sender had nothing to send, nothing is measured.
        rate.note(isFull: false, delivered: 60_000_000, at: moment(1100))
        rate.measure(delivered: 60_000_000, at: moment(9000))
        #expect(rate.bytesPerSecond == 100e6)
        rate.note(isFull: true, delivered: 60_000_000, at: moment(9000))
        for second in 1...5 {
            rate.measure(delivered: 60_000_000 + second * 10_000_000, at: moment(9000 + second * 1000))
        }
        #expect((10e6...12e6).contains(rate.bytesPerSecond ?? 0))
        // The link has carried the higher of two rates.
        let known = rate.bytesPerSecond
        rate.learn(1e6)
        #expect(rate.bytesPerSecond == known)
        rate.learn(1e9)
        #expect(rate.bytesPerSecond == 1e9)
        var other = LinkRate()
        other.learn(1e9)
        #expect(other.bytesPerSecond == 1e9)
    }
}
