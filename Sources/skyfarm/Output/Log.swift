import Foundation

/// Lines on standard error that are no progress: what happens, and what is wrong.
struct Log: Equatable, Sendable {
    /// How much a line matters; the numbers are those of syslog.
    enum Level: Int, Comparable, Sendable {
        case error = 3
        case warning = 4
        case info = 6
        case debug = 7

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// Begins each line.
    var program = "skyfarm"
    /// Lines of lesser importance are left out.
    var level = Level.info
    var usesColor = false

    init(program: String = "skyfarm", level: Level = .info, usesColor: Bool = false) {
        (self.program, self.level, self.usesColor) = (program, level, usesColor)
    }

    /// The line to write; nil if it is left out.
    func line(_ level: Level, _ message: StyledText) -> String? {
        if level > self.level { return nil }
        let text = "\(program): \(message)" as StyledText
        guard usesColor else { return text.plain + "\n" }
        return text.colored(level == .error ? .error : level == .warning ? .warning : .plain) + "\n"
    }

    /// Writes what the work came to, to standard error.
    func conclude(_ message: StyledText) {
        if level >= .info { StandardError.write((usesColor ? message.colored() : message.plain) + "\n") }
    }

    /// Writes a line to standard error.
    func write(_ level: Level, _ message: StyledText) {
        if let line = line(level, message) { StandardError.write(line) }
    }
}

extension Log {
    /// The log that the options ask for.
    init(program: String = "skyfarm", _ options: CommonOptions, _ environment: [String: String]) {
        self.init(
            program: program, level: options.quiet ? .error : options.verbose ? .debug : .info,
            usesColor: Terminal.standardError.usesColor(options.color, environment))
    }
}
