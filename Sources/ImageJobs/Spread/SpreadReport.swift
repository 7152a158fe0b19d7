import CommandLineKit
import Console

/// Outcome of `skyfarm spread` for each file.
struct SpreadReport: Encodable, Equatable, Sendable {
    package enum State: String, Encodable, Sendable {
        /// The file was sent to the node.
        case sent
        /// The node already had the file.
        case present
        /// The file would be sent, with `--dry-run`.
        case planned
        case failed
    }

    struct Copy: Encodable, Equatable, Sendable {
        var node: String
        var state: State
        var reason: String?
    }

    struct File: Encodable, Equatable, Sendable {
        var file: String
        /// Path under which nodes keep the file, relative to the folders of their stores.
        var path: String?
        var byteCount: Int?
        var copies: [Copy] = []
        /// Reason why it cannot be copied to any node, or not to enough nodes.
        var reason: String?

        var failures: [String] { copies.compactMap(\.reason) + [reason].compactMap(\.self) }
    }

    var v = 1
    var files: [File]
    var nodes: [String]
    var seconds: Double
    private var codes: [Int32] = []

    private enum CodingKeys: CodingKey { case v, files, nodes, seconds }

    package init(files: [File], nodes: [String], seconds: Double, codes: [ExitCode] = []) {
        (self.files, self.nodes, self.seconds) = (files, nodes, seconds)
        self.codes = codes.map(\.rawValue)
    }

    /// One line for each failure.
    var failures: [String] { files.flatMap(\.failures) }

    /// 0 if all files were copied, 23 if some were, otherwise the code of the first failure.
    var exitCode: ExitCode {
        if failures.isEmpty { return .complete }
        let hasCopy = files.contains { $0.failures.isEmpty || $0.copies.contains { $0.state != .failed } }
        return hasCopy ? .partialCatalogue : ExitCode.all.first { $0.rawValue == codes.first } ?? .failure
    }

    private func count(_ state: State) -> Int { files.reduce(0) { $0 + $1.copies.count { $0.state == state } } }

    /// Last line of the output for users.
    var conclusion: String {
        let bytes = files.reduce(0) { sum, file in
            sum + (file.byteCount ?? 0) * file.copies.count { $0.state == .sent }
        }
        let rate = seconds > 0.05 && bytes > 0 ? ", \(HumanFormat.quantity(Double(bytes) / seconds))B/s" : ""
        let failed = failures.isEmpty ? "" : ", \(failures.count) failed"
        return "\(HumanFormat.count(count(.sent), "copy")) of \(HumanFormat.count(files.count, "file")) sent to"
            + " \(HumanFormat.list(nodes)) (\(HumanFormat.byteCount(bytes))), \(count(.present)) were there\(failed);"
            + " \(HumanFormat.duration(seconds: seconds))\(rate)"
    }

    /// Planned nodes for each file, one line per file, for `--dry-run`.
    var plan: String {
        files.map { file in
            let names = file.copies.map { $0.state == .present ? "\($0.node) (has it)" : $0.node }
            return "\(file.file) -> \(names.isEmpty ? "no node" : names.joined(separator: ", "))\n"
        }.joined()
    }
}
