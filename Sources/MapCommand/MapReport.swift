import CommandLineKit
import Console
import ScanNetwork

/// What became of the items of a run.
struct MapReport: Encodable, Sendable {
    struct Row: Encodable, Sendable {
        enum State: String, Encodable, Sendable {
            case done, failed
            /// Done by an earlier run.
            case resumed
            /// The run has stopped before.
            case notRun = "not run"
        }

        var item: String
        var state = State.notRun
        var outputs: [String] = []
        /// The system of the last run of the program.
        var system: String?
        /// Runs of the program that ended.
        var runs = 0
        /// Exit code of the last one; nil if there is none.
        var exitCode: Int32?
        /// Seconds of the last one.
        var seconds: Double?
        /// Why the item failed.
        var reason: String?
        /// Last lines of standard error, or of standard output if that is empty, of a failed item.
        var lastLines: [String] = []
    }

    var v = 1
    var program: String
    var items: [Row]
    var seconds = 0.0
    /// Bytes of input and shared files that were sent to nodes, and that nodes have read below their `--data`.
    private var bytes = (sent: 0, read: 0)

    init(program: String, items: [Row]) { (self.program, self.items) = (program, items) }

    /// The report with what was sent.
    func with(_ traffic: BulkTraffic) -> MapReport {
        var report = self
        report.bytes = (traffic.sent.bytes, traffic.read.bytes)
        return report
    }

    private enum CodingKeys: String, CodingKey {
        case v, program, done, failed, resumed, notRun, seconds, bytesSent, bytesRead, items
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(v, forKey: .v)
        try values.encode(program, forKey: .program)
        try values.encode(count(.done), forKey: .done)
        try values.encode(count(.failed), forKey: .failed)
        try values.encode(count(.resumed), forKey: .resumed)
        try values.encode(count(.notRun), forKey: .notRun)
        try values.encode(seconds, forKey: .seconds)
        try values.encode(bytes.sent, forKey: .bytesSent)
        try values.encode(bytes.read, forKey: .bytesRead)
        try values.encode(items, forKey: .items)
    }

    func count(_ state: Row.State) -> Int { items.count { $0.state == state } }

    var exitCode: ExitCode { count(.failed) + count(.notRun) == 0 ? .complete : .partialCatalogue }

    /// Failed items whose reason is shown.
    private static let mostShown = 20

    /// A line for each failed item, followed by its last lines.
    var failures: [(line: String, details: [String])] {
        let failed = items.filter { $0.state == .failed }
        let shown = failed.prefix(Self.mostShown).map { row in
            let place = row.system.map { " (on \($0))" } ?? ""
            return (line: "\(row.item) failed: \(row.reason ?? "unknown")\(place)", details: row.lastLines)
        }
        let rest = failed.count - shown.count
        return shown + (rest > 0 ? [(line: "\(HumanFormat.count(rest, "further item")) failed", details: [])] : [])
    }

    /// The totals in one line.
    var conclusion: String {
        var facts = ["\(count(.done) + count(.resumed)) of \(HumanFormat.count(items.count, "item")) done"]
        if count(.resumed) > 0 { facts.append("\(count(.resumed)) of them before") }
        if count(.failed) > 0 { facts.append("\(count(.failed)) failed") }
        if bytes.read > 0 { facts.append("\(HumanFormat.byteCount(bytes.read)) of files read by nodes (--data)") }
        if count(.notRun) > 0 { facts.append("\(count(.notRun)) not run") }
        return facts.joined(separator: ", ") + " in \(HumanFormat.duration(seconds: seconds))"
    }
}
