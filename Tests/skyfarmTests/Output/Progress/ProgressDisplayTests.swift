import Foundation
import Testing

import Console

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
        display.handle(.planned(tasks: 1, work: 100))
        display.handle(.finished(work: 100, system: "a"))
        display.message(.info, "note")
        display.finish()
        display.finish()
        display.handle(.finished(work: 1, system: "a"))
        #expect(screen.text.hasPrefix("skyfarm: note\n1 of 1 task in 0.0 s"))
        #expect(screen.text.count { $0 == "\n" } == 2)
    }

    @Test("as JSON each event is a line at once, and the end is one")
    func json() {
        let screen = Screen()
        let display = ProgressDisplay(style: .json, write: screen.write)
        display.handle(.joined(system: "alpha", slots: 2))
        display.handle(.stage("extract"))
        display.finish()
        let lines = screen.text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].contains(#""event":"joined""#) && lines[1].contains(#""stage":"extract""#))
        #expect(lines[2].contains(#""event":"ended""#))
    }

    @Test("without progress nothing is written but messages")
    func none() {
        let screen = Screen()
        let display = ProgressDisplay(style: .none, write: screen.write)
        display.handle(.planned(tasks: 1, work: 100))
        display.message(.info, "note")
        display.message(.debug, "detail")
        display.finish()
        #expect(screen.text == "skyfarm: note\n")
    }

    @Test("a display that is abandoned while the terminal takes nothing does not hold up the end")
    func abandon() {
        let gate = DispatchSemaphore(value: 0)
        let display = ProgressDisplay(style: .lines) { _ in gate.wait() }
        display.handle(.planned(tasks: 1, work: 100))
        display.message(.info, "note")
        let start = ContinuousClock.now
        display.abandon()
        #expect(ContinuousClock.now - start < .seconds(10))
        for _ in 0..<2 { gate.signal() }
        display.finish()
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
