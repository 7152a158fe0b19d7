import Console
import ImageScanning
import ScanCluster
import SkyScan
import Testing

@Suite("What a scan says") struct ScanEventsTests {
    /// The lines that are shown, with or without --verbose.
    private func lines(isVerbose: Bool, _ body: (ScanEvents) -> Void) -> [String] {
        let written = Locked<[String]>([])
        var log = Log()
        log.level = isVerbose ? .debug : .info
        let display = ProgressDisplay(style: .none, log: log, write: { text in written.withLock { $0.append(text) } })
        body(ScanEvents(display: display))
        display.finish()
        return written.withLock(\.self)
    }

    @Test("what is as expected is said with --verbose only: a node of this machine, and a second attempt")
    func quiet() {
        func events(_ events: ScanEvents) {
            events.handle(.ownMachine(name: "beta", reason: "is on this machine"))
            events.handle(
                .job(.extraction, .taskHedged(index: 0, system: "beta", attempt: 2, slow: "alpha", seconds: 2)))
        }
        #expect(lines(isVerbose: false, events).isEmpty)
        #expect(lines(isVerbose: true, events).count == 2)
        #expect(lines(isVerbose: false) { $0.handle(.unused(name: "beta", reason: "is paused")) }.count == 1)
    }

    @Test("an ambiguous word ends the command once, with all that could be meant")
    func ambiguity() {
        let ends = Locked(0)
        let written = lines(isVerbose: false) { events in
            events.choice.onAmbiguity { ends.withLock { $0 += 1 } }
            #expect(throws: Never.self) { try events.choice.check() }
            for words in ["--only b could be b1 or b2", "--only b could be b1 or b3"] {
                events.handle(.ambiguous(words))
            }
            #expect(events.choice.error?.description == "--only b could be b1 or b2")
        }
        // The command reports its error.
        #expect(ends.withLock(\.self) == 1 && written.isEmpty)
    }
}
