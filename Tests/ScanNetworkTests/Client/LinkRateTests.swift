import ScanCluster
import ScanNetwork
import Testing

@Suite struct LinkRateTests {
    @Test("The rate of a link is that while its socket is full")
    func rate() {
        func moment(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }
        var rate = LinkRate()
        rate.measure(sent: 5_000_000, at: moment(100))
        rate.note(isFull: true, sent: 5_000_000, at: moment(100))
        rate.note(isFull: false, sent: 6_000_000, at: moment(110))
        #expect(rate.bytesPerSecond == nil)
        rate.note(isFull: true, sent: 50_000_000, at: moment(1000))
        rate.measure(sent: 51_000_000, at: moment(1010))
        #expect(rate.bytesPerSecond == nil)
        rate.measure(sent: 60_000_000, at: moment(1100))
        #expect(rate.bytesPerSecond == 100e6)
        // While the sender had nothing to send, nothing is measured.
        rate.note(isFull: false, sent: 60_000_000, at: moment(1100))
        rate.measure(sent: 60_000_000, at: moment(9000))
        #expect(rate.bytesPerSecond == 100e6)
        rate.note(isFull: true, sent: 60_000_000, at: moment(9000))
        for second in 1...5 { rate.measure(sent: 60_000_000 + second * 10_000_000, at: moment(9000 + second * 1000)) }
        #expect((10e6...12e6).contains(rate.bytesPerSecond ?? 0))
    }
}
