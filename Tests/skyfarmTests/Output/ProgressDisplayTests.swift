import Foundation
import Testing

@testable import skyfarm

@Suite struct ProgressDisplayTests {
    /// Collects what a display writes.
    final class Screen: @unchecked Sendable {
        private let lock = NSLock()
        private var written = ""

        func write(_ text: String) { lock.withLock { written += text } }

        var text: String { lock.withLock { written } }
    }

    @Test("plain lines end with a summary, written before finish returns and only once")
    func lines() {
        let screen = Screen()
        let display = ProgressDisplay(style: .lines, write: screen.write)
        display.handle(.planned(tasks: 1, pixels: 100))
        display.handle(.finished(pixels: 100))
        display.message("note")
        display.finish()
        display.finish()
        display.handle(.finished(pixels: 1))
        #expect(screen.text.hasPrefix("note\n1 of 1 task in 0.0 s, "))
        #expect(screen.text.count { $0 == "\n" } == 2)
    }

    @Test("as JSON each event is a line at once")
    func json() {
        let screen = Screen()
        let display = ProgressDisplay(style: .json, write: screen.write)
        display.handle(.nodes(2))
        display.handle(.stage("extract"))
        display.finish()
        #expect(screen.text.split(separator: "\n").count == 2)
        #expect(screen.text.contains("\"stage\":\"extract\""))
    }

    @Test("without progress nothing is written but messages")
    func none() {
        let screen = Screen()
        let display = ProgressDisplay(style: .none, write: screen.write)
        display.handle(.planned(tasks: 1, pixels: 100))
        display.message("note")
        display.finish()
        #expect(screen.text == "note\n")
    }

    @Test(
        "the flags and the terminal decide how progress is shown",
        arguments: [
            (CommonOptions.ProgressMode.auto, false, true, ProgressDisplay.Style.bar), (.auto, false, false, .lines),
            (.auto, true, true, .none), (.always, true, true, .bar), (.always, false, false, .lines),
            (.never, false, true, .none), (.json, true, true, .json),
        ])
    func styles(mode: CommonOptions.ProgressMode, quiet: Bool, canRedraw: Bool, style: ProgressDisplay.Style) {
        var options = CommonOptions()
        options.progress = mode
        options.quiet = quiet
        #expect(ProgressDisplay.Style(options, canRedraw: canRedraw) == style)
    }
}
