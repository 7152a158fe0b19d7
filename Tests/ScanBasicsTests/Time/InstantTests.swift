import ScanBasics
import Testing

@Suite struct InstantTests {
    static let sums: [(Int64, Duration, Int64)] = [
        (5, .nanoseconds(7), 12), (5, .seconds(-1), -999_999_995), (0, .milliseconds(1500), 1_500_000_000),
        (5, .seconds(10_000_000_000), .max), (.max, .nanoseconds(1), .max), (5, .seconds(-10_000_000_000), .min),
        (.min, .nanoseconds(-1), .min), (0, .nanoseconds(Int64.max), .max),
        (0, .seconds(9_223_372_036) + .milliseconds(900), .max),
    ]

    @Test("a moment later than can be counted is the last one", arguments: sums)
    func advanced(start: Int64, duration: Duration, end: Int64) {
        #expect(Instant(nanoseconds: start).advanced(by: duration) == Instant(nanoseconds: end))
    }
}
