import CommandLineKit
import Foundation

/// Format of log lines.
enum LogFormat: String, CaseIterable, Sendable {
    /// For people.
    case auto
    /// Prefixed with time, level and job.
    case text
    /// One JSON object each.
    case json
}

/// Messages on standard error, other than progress.
struct Log: Equatable, Sendable {
    /// Severity, with the numbers of syslog.
    enum Level: Int, Comparable, Sendable {
        case error = 3
        case warning = 4
        case info = 6
        case debug = 7

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        var name: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .info: "info"
            case .debug: "debug"
            }
        }
    }

    /// Prefix of the lines.
    var program = "skyfarm"
    /// Less severe lines are suppressed.
    var level = Level.info
    var format = LogFormat.auto
    var usesColor = false
    /// The journal of systemd reads the lines: it adds times itself and takes the level from a prefix.
    var goesToJournal = false
    /// Identifier of the job, in each line.
    private(set) var job: String?

    /// The same log for another job.
    func about(_ job: String?) -> Log {
        var log = self
        log.job = job
        return log
    }

    /// Whether the lines are for a person at a terminal.
    var isForPeople: Bool { format == .auto && !goesToJournal }

    /// The line to write; nil if it is suppressed.
    func line(_ level: Level, _ message: StyledText, at time: Date = .now) -> String? {
        level > self.level ? nil : text(level, message, at: time)
    }

    /// A line of level `info`; without the program's prefix if it is for a person.
    func bareLine(_ message: StyledText, at time: Date = .now) -> String {
        guard isForPeople, message.count <= Self.longest else { return text(.info, message, at: time) }
        return (usesColor ? message.colored() : message.plain) + "\n"
    }

    /// Most characters of a message. What a member, a file or a word of the command contributes to it may have megabytes.
    static let longest = 4096

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

    /// Writes a line to standard error.
    func write(_ level: Level, _ message: StyledText) {
        if let line = line(level, message) { StandardError.writeStyled(line) }
    }

    /// Writes the result of a command to standard error.
    func conclude(_ message: StyledText) {
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

    /// In UTC, with milliseconds, as in `2026-11-21T22:10:03.123Z`.
    private static func stamp(_ time: Date) -> String {
        time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension Log {
    /// The log that the arguments select.
    init(program: String = "skyfarm", _ arguments: Arguments) throws(UsageError) {
        let (common, environment) = (try CommonOptions(arguments), arguments.environment)
        self.init(
            program: program, level: common.quiet ? .error : common.verbose ? .debug : .info,
            format: try arguments[LogOptions.format],
            usesColor: Terminal.standardError.usesColor(common.color, environment),
            goesToJournal: Terminal.standardError.isJournal(environment))
    }
}
