import ScanBasics
import Testing

@Suite("the age of the process")
struct ProcessAgeTests {
    @Test("grows with the clock", .enabled(if: ProcessAge.seconds != nil, "needs Linux"))
    func grows() throws {
        let (clock, first) = (ContinuousClock(), try #require(ProcessAge.seconds))
        let start = clock.now
        while clock.now - start < .milliseconds(50) {}
        let passed = try #require(ProcessAge.seconds) - first
        #expect(first > 0 && first < 86_400)
        #expect(abs(passed - (clock.now - start) / .seconds(1)) < 0.03)
    }
}
