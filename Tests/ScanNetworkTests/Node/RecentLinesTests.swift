import ScanNetwork
import Testing

@Suite("the last lines of a log")
struct RecentLinesTests {
    @Test("are five at most, and are taken once")
    func lines() {
        var lines = RecentLines()
        #expect(lines.take().isEmpty)
        for number in 0..<7 { lines.append("\(number)") }
        #expect(lines.take() == ["2", "3", "4", "5", "6"])
        lines.append("7")
        #expect(lines.take() == ["7"])
        #expect(lines.take().isEmpty)
    }
}
