import CommandLineKit
import Console
import ScanBasics

/// The outcome of each step of a run.
struct StepsReport: Encodable, Sendable {
    struct Row: Encodable, Sendable {
        enum State: String, Encodable, Sendable {
            /// Nothing was to be done.
            case done
            case ran, failed
            /// A step that it needs is not done.
            case notRun = "not run"
            /// It would run, or would if a step that it needs changes its inputs.
            case runs
            case maybe = "may run"
        }

        var name: String
        var command: String
        var state = State.notRun
        /// The reason for which it runs, or is not done.
        var reason: String?
        var code: ExitCode?
        var seconds: Double?
        /// Number of files that it has written.
        var outputs: Int?

        init(name: String, command: String) { (self.name, self.command) = (name, command) }

        private enum CodingKeys: String, CodingKey { case name, command, state, reason, code, seconds, outputs }

        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(name, forKey: .name)
            try values.encode(command, forKey: .command)
            try values.encode(state, forKey: .state)
            try values.encodeIfPresent(reason, forKey: .reason)
            try values.encodeIfPresent(code?.rawValue, forKey: .code)
            try values.encodeIfPresent(seconds, forKey: .seconds)
            try values.encodeIfPresent(outputs, forKey: .outputs)
        }
    }

    var v = 1
    var steps: [Row]

    /// The code of the first step that failed.
    var exitCode: ExitCode { steps.first { $0.state == .failed }?.code ?? .complete }

    /// A line for each step, for `--dry-run`.
    var lines: String {
        steps.map { row in
            let reason = row.reason.map { ", \($0)" } ?? ""
            let command = [.runs, .maybe].contains(row.state) ? ": \(row.command)" : ""
            return "\(row.name): \(row.state.rawValue)\(reason)\(command)".printable + "\n"
        }.joined()
    }

    /// The totals in one line.
    var conclusion: String {
        func count(_ state: Row.State) -> Int { steps.count { $0.state == state } }
        var facts = ["\(count(.ran)) of \(HumanFormat.count(steps.count, "step")) run"]
        if count(.done) > 0 { facts.append("\(count(.done)) done before") }
        if count(.failed) > 0 { facts.append("\(count(.failed)) failed") }
        if count(.notRun) > 0 { facts.append("\(count(.notRun)) not run") }
        return facts.joined(separator: ", ")
    }
}
