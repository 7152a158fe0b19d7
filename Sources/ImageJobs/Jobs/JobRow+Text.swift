import Console
import Foundation
import ScanCluster
import SkyScan

/// Jobs as text.
extension JobRow {
    package struct Listing: Encodable {
        package var v = 2
        /// Newest first, each job once.
        package var jobs: [JobRow]

        package init(jobs: [JobRow]) { self.jobs = jobs }
    }

    /// Returns a table of the jobs, without optional columns that are empty.
    package static func text(_ rows: [JobRow]) -> String {
        if rows.isEmpty { return "no jobs\n" }
        let header = ["ID", "STATE", "NODE", "BY", "AGE", "DONE", "LEFT", "SOURCES", "COMMAND", "OUTPUTS"]
        let optional: Set = ["NODE", "BY", "LEFT", "SOURCES", "OUTPUTS"]
        let cells = rows.map { row in
            let left = row.state == "running" ? row.progress?.secondsLeft : nil
            return [
                row.id, row.state, row.node ?? "-", row.from ?? "-",
                row.ageSeconds.map { HumanFormat.age(seconds: $0) } ?? "-",
                row.done ?? "-", left.map { HumanFormat.duration(seconds: $0) } ?? "-",
                row.sources.map { "\($0)" } ?? "-", row.title ?? row.reason ?? "-",
                row.outputs.map { HumanFormat.list($0, most: 1) } ?? "-",
            ]
        }
        let kept = header.indices.filter { column in
            !optional.contains(header[column]) || cells.contains { $0[column] != "-" }
        }
        var table = TextTable(
            kept.map { header[$0] }, texts: ["STATE", "NODE", "BY", "DONE", "COMMAND", "OUTPUTS"])
        for row in cells { table.add(kept.map { row[$0] }) }
        return table.text
    }

    /// The finished work, such as `12/40` tasks or `5/7 files, 2 failed, 1 left out`, without the total if that is unknown.
    package var done: String? {
        if let tasksDone, let tasksTotal { return "\(tasksDone)/\(tasksTotal)" }
        let failed = filesFailed ?? 0
        // Events count files that failed as done.
        guard let total = filesTotal ?? progress?.files,
            let done = filesDone ?? progress?.filesDone.map({ max(0, $0 - failed) })
        else { return progress?.short }
        // The watch of a folder has no total.
        let files = total == 0 ? HumanFormat.count(done, "file") : "\(done)/\(total) files"
        let leftOut = filesLeftOut ?? 0
        return files + (failed == 0 ? "" : ", \(failed) failed") + (leftOut == 0 ? "" : ", \(leftOut) left out")
    }

    /// All information about the job, one item per line.
    package var text: String {
        let kept = ScanStep.allCases.compactMap { step in tasks?[step.rawValue].map { "\(step.rawValue) \($0)" } }
        let items: [(String, String?)] = [
            ("id", id),
            ("node", isSubmitted ? (node ?? "this machine") + (from.map { ", submitted by \($0)" } ?? "") : nil),
            ("state", state + (process.map { ", process \($0)" } ?? "")), ("image", image), ("began", began),
            ("folder", folder), ("command", command),
            ("after", after?.joined(separator: ", ")), ("outputs", outputs?.joined(separator: ", ")),
            ("tasks", progress == nil ? done : nil), ("done", progress?.text),
            ("kept", kept.isEmpty ? nil : kept.joined(separator: ", ")), ("sources", sources.map { "\($0)" }),
            ("failed", filesFailed.flatMap { $0 == 0 ? nil : HumanFormat.count($0, "file") + "; see --failed" }),
            ("omitted", filesLeftOut.flatMap { $0 == 0 ? nil : HumanFormat.count($0, "file") + " left out" }),
            ("journal", isSubmitted ? journal : nil), ("code", code.map { "\($0)" }), ("log", message),
            ("reason", reason),
        ]
        return items.compactMap { name, text in
            text.map { (name.padding(toLength: 8, withPad: " ", startingAt: 0) + $0).printable + "\n" }
        }.joined()
    }

    /// Files and sectors that could not be scanned, one reason per line. A sector is followed by lines of the node's log.
    package var failureText: String {
        var lines = (failedFiles ?? []).flatMap { file in
            file.errors.map { $0.contains(file.file) ? $0 : "\(file.file): \($0)" }
                + file.missing.flatMap { ["\(file.file): \($0.line)"] + ($0.log ?? []).map { "  \($0)" } }
        }
        // A job without a journal has only its log, and one of which every file is left out has only its reason.
        if lines.isEmpty, state == SubmittedJob.State.failed.rawValue { lines = [message ?? reason].compactMap(\.self) }
        return lines.isEmpty ? "nothing failed\n" : lines.map { $0.printable + "\n" }.joined()
    }
}
