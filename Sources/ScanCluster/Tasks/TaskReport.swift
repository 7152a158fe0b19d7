internal import ScanBasics

/// What a running task says of itself.
package enum TaskReport: Equatable, Sendable {
    /// The part of the work that is done, from 0 to 1, and what the task does now.
    case progress(Double, String)
    /// A line for a log. `at`: how much of the work was done, where that is known; in a chunk it shows the task.
    case line(String, at: Double = 0)

    /// Longest text, in characters.
    package static let textLimit = 500

    /// The report of a task, or of a node that is not trusted: in one line, cut and within its range. Nil if `fraction` is
    /// not a number.
    package init?(progress fraction: Double, _ message: String) {
        if fraction.isNaN { return nil }
        self = .progress(min(max(fraction, 0), 1), Self.line(message))
    }

    /// A line of a task, or of a node that is not trusted.
    package init(line text: String, at fraction: Double = 0) {
        self = .line(Self.line(text), at: fraction.isNaN ? 0 : min(max(fraction, 0), 1))
    }

    /// Its parts on the wire: the kind, the fraction and the text.
    package var parts: (kind: UInt8, fraction: Double, text: String) {
        switch self {
        case .progress(let fraction, let message): (1, fraction, message)
        case .line(let line, let fraction): (2, fraction, line)
        }
    }

    /// The report of these parts, which are not trusted; nil if there is none.
    package init?(kind: UInt8, fraction: Double, text: String) {
        switch kind {
        case 1: self.init(progress: fraction, text)
        case 2: self.init(line: text, at: fraction)
        default: return nil
        }
    }

    private static func line(_ text: String) -> String { String(text.printable.prefix(textLimit)) }
}

/// Takes the reports of a task while it runs, from any thread.
package protocol TaskReporter: AnyObject, Sendable {
    func report(_ report: TaskReport)
}

/// Reports of running tasks that were not passed on yet. Of the progress of a task only the last is kept, and of its lines
/// the first ``linesPerTask``: a task that reports in a loop must not fill memory or a network. Pure.
package struct ReportQueue: Sendable {
    /// Time between two deliveries.
    package static let interval = Duration.milliseconds(100)
    /// Lines of a task that are kept between two deliveries; of others only the number.
    package static let linesPerTask = 32
    /// Tasks whose reports are kept between two deliveries.
    package static let taskLimit = 1024

    private struct Waiting {
        var progress: TaskReport?
        var lines: [TaskReport] = []
        var dropped = 0

        mutating func add(_ report: TaskReport) {
            switch report {
            case .progress: progress = report
            case .line where lines.count < linesPerTask: lines.append(report)
            case .line: dropped += 1
            }
        }

        var reports: [TaskReport] {
            lines + (dropped > 0 ? [.line("\(dropped) further lines were dropped")] : [])
                + (progress.map { [$0] } ?? [])
        }
    }

    private var waiting: [UInt64: Waiting] = [:]

    package init() {}

    /// A task reports something.
    /// - Returns: whether to call ``take()`` after ``interval``: it is the first since the last call.
    package mutating func add(_ report: TaskReport, of task: UInt64) -> Bool {
        guard waiting.count < Self.taskLimit || waiting[task] != nil else { return false }
        defer { waiting[task, default: Waiting()].add(report) }
        return waiting.isEmpty
    }

    /// Takes all reports, by the numbers of their tasks.
    package mutating func take() -> [(task: UInt64, report: TaskReport)] {
        defer { waiting = [:] }
        return waiting.sorted { $0.key < $1.key }.flatMap { task, waiting in waiting.reports.map { (task, $0) } }
    }

    /// Takes those of one task, which has ended.
    package mutating func take(of task: UInt64) -> [TaskReport] {
        guard var rest = waiting[task] else { return [] }
        let reports = rest.reports
        // It stays in the table, so that the delivery that was begun with it takes place.
        rest = Waiting()
        waiting[task] = rest
        return reports
    }
}
