import Testing

@testable import skyfarm

@Suite struct LogTests {
    @Test("lines of lesser importance are left out: quiet shows errors, verbose all")
    func levels() {
        var options = CommonOptions()
        #expect(Log(options, ["NO_COLOR": "1"]) == Log())
        let usual = Log()
        #expect(usual.line(.info, "a") == "skyfarm: a\n" && usual.line(.debug, "a") == nil)
        options.quiet = true
        #expect(Log(options, [:]).line(.warning, "a") == nil && Log(options, [:]).line(.error, "a") != nil)
        (options.quiet, options.verbose) = (false, true)
        #expect(Log(options, [:]).line(.debug, "a") != nil)
    }

    @Test("faults are red and yellow, names bold")
    func colors() {
        let log = Log(usesColor: true)
        #expect(log.line(.info, "node \(name: "a")") == "skyfarm: node \u{1b}[1ma\u{1b}[m\n")
        #expect(log.line(.warning, "gone") == "\u{1b}[33mskyfarm: gone\u{1b}[m\n")
        #expect(log.line(.error, "lost")?.hasPrefix("\u{1b}[31mskyfarm: lost") == true)
    }
}
