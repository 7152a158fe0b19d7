import CommandLineKit
import Console

/// What became of the files of `skyfarm spread`.
struct SpreadReport: Encodable, Equatable, Sendable {
    package enum State: String, Encodable, Sendable {
        /// The node has it now.
        case sent
        /// The node had it already.
        case present
        /// With `--dry-run`: it would be sent.
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
        /// Where nodes keep it, relative to the folders of their stores.
        var path: String?
        var byteCount: Int?
        var copies: [Copy] = []
        /// Why it cannot be copied to any node, or not often enough.
        var reason: String?

        var failures: [String] { copies.compactMap(\.reason) + [reason].compactMap(\.self) }
    }

    var v = 1
    var files: [File]
    /// Names of the nodes.
    var nodes: [String]
    var seconds: Double
    private var codes: [Int32] = []

    private enum CodingKeys: CodingKey { case v, files, nodes, seconds }

    package init(files: [File], nodes: [String], seconds: Double, codes: [ExitCode] = []) {
        (self.files, self.nodes, self.seconds) = (files, nodes, seconds)
        self.codes = codes.map(\.rawValue)
    }

    /// Lines about what failed.
    var failures: [String] { files.flatMap(\.failures) }

    /// 0 if all was copied, 23 if some was; else the code of the first failure.
    var exitCode: ExitCode {
        if failures.isEmpty { return .complete }
        let hasCopy = files.contains { $0.failures.isEmpty || $0.copies.contains { $0.state != .failed } }
        return hasCopy ? .partialCatalogue : ExitCode.all.first { $0.rawValue == codes.first } ?? .failure
    }

    private func count(_ state: State) -> Int { files.reduce(0) { $0 + $1.copies.count { $0.state == state } } }

    /// The last line for people.
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

    /// A line per file, for `--dry-run`.
    var plan: String {
        files.map { file in
            let names = file.copies.map { $0.state == .present ? "\($0.node) (has it)" : $0.node }
            return "\(file.file) -> \(names.isEmpty ? "no node" : names.joined(separator: ", "))\n"
        }.joined()
    }
}
