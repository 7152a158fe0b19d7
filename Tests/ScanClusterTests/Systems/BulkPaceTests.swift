import ScanCluster
import Testing

@Suite struct BulkPaceTests {
    private func moment(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    @Test("the pace is that of the arrivals, however many are on their way, and idle times do not count")
    func arrivals() throws {
        var pace = BulkPace()
        #expect(pace.rate == nil && pace.seconds(for: 1000) == 0)
        for _ in 0..<3 { pace.begin(100, at: moment(5)) }
        for second in [6.0, 7, 8] { pace.end(100, arrived: true, at: moment(second)) }
        #expect(pace.rate == 100 && pace.inTransit == 0)
        pace.begin(100, at: moment(60))
        #expect(pace.seconds(for: 300) == 4)
        pace.end(100, arrived: true, at: moment(61))
        #expect(pace.rate == 100)
    }

    @Test("what did not arrive is no measurement")
    func lost() {
        var pace = BulkPace()
        pace.begin(100, at: moment(0))
        pace.end(100, arrived: false, at: moment(9))
        #expect(pace.rate == nil && pace.inTransit == 0)
    }
}
