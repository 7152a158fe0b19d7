package import CommandLineKit
package import Foundation

/// Messages on standard error, other than progress.
///
/// Messages that are less severe than ``level`` are suppressed. ``format`` selects lines for people, text with time,
/// level and job, or JSON; for systemd's journal, the level becomes a prefix and the time is omitted. The settings are
/// usually read from the arguments of a command.
package struct Log: Equatable, Sendable {
    /// Severity, with the numbers of syslog.
    package enum Level: Int, Comparable, Sendable {
        case error = 3
        case warning = 4
        case info = 6
        case debug = 7

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        package var name: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .info: "info"
            case .debug: "debug"
            }
        }
    }

    /// Prefix of the lines.
    package var program = "skyfarm"
    /// Least severe level that is written.
    package var level = Level.info
    package var format = LogFormat.auto
    package var usesColor = false
    /// Whether systemd's journal reads the lines: it adds the time itself and takes the level from a prefix.
    package var goesToJournal = false
    /// Identifier of the job, written with each line.
    package private(set) var job: String?

    package init(
        program: String = "skyfarm", level: Level = Level.info, format: LogFormat = LogFormat.auto,
        usesColor: Bool = false, goesToJournal: Bool = false
    ) {
        self.program = program
        self.level = level
        self.format = format
        self.usesColor = usesColor
        self.goesToJournal = goesToJournal
    }

    /// Returns the same log for another job.
    package func about(_ job: String?) -> Log {
        var log = self
        log.job = job
        return log
    }

    /// Whether the lines are read by a person at a terminal.
    package var isForPeople: Bool { format == .auto && !goesToJournal }

    /// Returns the line to write, or nil if its level is suppressed.
    package func line(_ level: Level, _ message: StyledText, at time: Date = .now) -> String? {
        level > self.level ? nil : text(level, message, at: time)
    }

    /// Returns a line of level `info`, without the program's prefix if a person reads it.
    package func bareLine(_ message: StyledText, at time: Date = .now) -> String {
        guard isForPeople, message.count <= Self.longest else { return text(.info, message, at: time) }
        return (usesColor ? message.colored() : message.plain) + "\n"
    }

    /// Maximum number of characters of a message. Text from a node, a file or the command line may have megabytes.
    package static let longest = 4096

    private func text(_ level: Level, _ message: StyledText, at time: Date) -> String {
        let count = message.count
        let message =
            count <= Self.longest
            ? message : "\(message.prefix(Self.longest)) … (\(count - Self.longest) more characters)" as StyledText
        let priority = goesToJournal ? "<\(level.rawValue)>" : ""
        switch format {
        case .auto where isForPeople:
            let text = "\(program): \(message)" as StyledText
            guard usesColor else { return text.plain + "\n" }
            return text.colored(level == .error ? .error : level == .warning ? .warning : .plain) + "\n"
        case .auto, .text:
            let about = job.map { "job=\($0) " } ?? ""
            let head = goesToJournal ? "" : "\(Self.stamp(time)) \(level.name) "
            return priority + head + about + message.plain + "\n"
        case .json:
            let record = Record(
                time: Self.stamp(time), level: level.name, program: program, job: job, message: message.plain)
            return priority + ((try? JSONOutput.line(record)) ?? "")
        }
    }

    /// Writes a line to standard error, unless its level is suppressed.
    package func write(_ level: Level, _ message: StyledText) {
        if let line = line(level, message) { StandardError.writeStyled(line) }
    }

    /// Writes the result of a command to standard error.
    package func conclude(_ message: StyledText) {
        if level >= .info { StandardError.writeStyled(bareLine(message)) }
    }

    private struct Record: Encodable {
        var v = 1
        var event = "log"
        var time: String
        var level: String
        var program: String
        var job: String?
        var message: String
    }

    /// Formats a time in UTC with milliseconds, such as `2026-11-21T22:10:03.123Z`.
    private static func stamp(_ time: Date) -> String {
        time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension Log {
    /// Creates the log selected by the arguments.
    package init(program: String = "skyfarm", _ arguments: Arguments) throws(UsageError) {
        let (common, environment) = (try CommonOptions(arguments), arguments.environment)
        self.init(
            program: program, level: common.quiet ? .error : common.verbose ? .debug : .info,
            format: try arguments[LogOptions.format],
            usesColor: Terminal.standardError.usesColor(common.color, environment),
            goesToJournal: Terminal.standardError.isJournal(environment))
    }
}
