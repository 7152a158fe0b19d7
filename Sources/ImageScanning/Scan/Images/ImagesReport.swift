import CommandLineKit
import Console
import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import SkyScan

/// What became of the files of a job.
package final class ImagesReport: Sendable {
    private struct Document: Encodable {
        var v = 1
        var files: [ReportedFile]
        /// Earlier files that are not in `files`; omitted if there are none.
        var filesOmitted: Int?
        /// Files whose catalogues are written and complete.
        var done: Int
        /// Of these, files that an earlier run had finished.
        var resumed: Int
        /// Files that were left out because their catalogues exist.
        var skipped: Int
        /// Files without a catalogue.
        var failed: Int
        /// Files whose catalogues lack images or sectors.
        var partial: Int
        var images: Int
        var sources: Int
        var pixels: Int
        var seconds: Double
        /// The table of `--merged`, if this run wrote it.
        var merged: String?
        var systems: [String: Share]
        /// How nodes got the pixels; omitted if none got any.
        var pixelTraffic: PixelTraffic?
        /// As in ``ScanAccount/unusedNodes``; omitted if nodes did tasks, or if there were none.
        var unusedNodes: Int?
    }

    private struct Share: Encodable {
        var tasks = 0
        var seconds = 0.0
    }

    private struct State {
        var files: ReportedFiles
        var arrived = 0
        var resumed = 0
        var skipped = 0
        var systems: [String: Share] = [:]
        var traffic: PixelTraffic?
        var pixelLine: String?
        var copyLines: [String] = []
        /// Nodes that are connected.
        var nodes = 0
        var merged: (path: String, rows: Int)?

        /// As in ``ScanAccount/unusedNodes``.
        var unusedNodes: Int? { nodes > 0 && Array(systems.keys) == [ScanEvents.localName] ? nodes : nil }
    }

    private let state: Locked<State>
    /// What a row of a catalogue is.
    private let rows: String

    /// Nothing is known. Of a watch, which does not end, the files that are kept have a limit.
    init(rows: String = "source", isEndless: Bool = false) {
        self.rows = rows
        state = Locked(State(files: ReportedFiles(limit: isEndless ? ReportedFiles.watchLimit : .max)))
    }

    /// A file's catalogues are written.
    func add(_ scan: FileScan, outputs: [String]) {
        let file = ReportedFile(scan, outputs: outputs)
        state.withLock { state in
            state.files.append(file)
            for image in scan.images {
                for (name, share) in image.result.tally.systems {
                    state.systems[name, default: Share()].tasks += share.tasks
                    state.systems[name, default: Share()].seconds += share.seconds
                }
            }
        }
    }

    /// A file is left out, because its catalogues exist.
    func skip(_ file: InputList.File, outputs: [String]) {
        state.withLock { state in
            state.files.append(ReportedFile(file: file.name, outputs: outputs))
            state.skipped += 1
        }
    }

    /// Adds a file that an earlier run has finished, as ``ReportedFile/coded()``.
    func resume(_ coded: [UInt8]) throws {
        let file = try WireDecoder().decode(ReportedFile.self, from: coded)
        state.withLock { state in
            state.files.append(file)
            state.resumed += 1
        }
    }

    /// Counts a file that arrived.
    /// - Returns: the number of files so far.
    func countFile() -> Int {
        state.withLock { state in
            state.arrived += 1
            return state.arrived
        }
    }

    /// Number of files that an earlier run has finished.
    var resumed: Int { state.withLock(\.resumed) }

    /// The table of `--merged` is written.
    func merge(into path: String, rows: Int) { state.withLock { $0.merged = (path, rows) } }

    /// Number of sources in all catalogues.
    var sources: Int { state.withLock(\.files.sources) }

    /// A file has no catalogue, for this reason.
    func fail(_ file: InputList.File, _ reason: String) {
        state.withLock { $0.files.append(ReportedFile(file: file.name, errors: [reason])) }
    }

    /// Takes over which nodes are connected, and how they got the pixels.
    func record(_ node: ScanNode, _ copies: FileCopies) {
        let nodes = node.connections
        let (traffic, line, copies) = (PixelTraffic(nodes.traffic), nodes.pixelLine, nodes.copyLines(copies))
        let joined = node.systems.snapshot.count { !$0.isLocal }
        state.withLock { ($0.traffic, $0.pixelLine, $0.copyLines, $0.nodes) = (traffic, line, copies, joined) }
    }

    /// What was wrong with files that nodes should have read themselves, a line each.
    var copyLines: [String] { state.withLock(\.copyLines) }

    /// The line about how the nodes got the pixels; nil if there is nothing to say.
    var pixelLine: String? { state.withLock(\.pixelLine) }

    /// Number of files whose catalogues are written.
    var written: Int { state.withLock(\.files.written) }

    /// The files that failed, as a whole or in part, a line each; of a watch the newest.
    var failures: [String] { state.withLock { $0.files.newest.flatMap(\.failures) } }

    /// Whether files have catalogues, and how they failed, as a whole or in part, by name.
    var outcomes: [String: (hasCatalogue: Bool, failures: [String])] {
        state.withLock { state in
            Dictionary(state.files.newest.map { ($0.file, (!$0.outputs.isEmpty, $0.failures)) }) { $1 }
        }
    }

    /// 0 if all files were scanned, 23 if some were, 5 if none was.
    var exitCode: ExitCode {
        state.withLock { state in
            if state.files.done == state.files.count { return .complete }
            return state.files.written > 0 ? .partialCatalogue : .input
        }
    }

    /// The report as a document for `--json`, in the order of completion.
    func document(seconds: Double) -> some Encodable {
        state.withLock { state in
            let files = state.files
            let omitted = files.count - files.newest.count
            return Document(
                files: Array(files.newest), filesOmitted: omitted == 0 ? nil : omitted, done: files.done,
                resumed: state.resumed, skipped: state.skipped, failed: files.count - files.written,
                partial: files.written - files.done, images: files.images, sources: files.sources,
                pixels: files.pixels, seconds: seconds, merged: state.merged?.path, systems: state.systems,
                pixelTraffic: state.traffic, unusedNodes: state.unusedNodes)
        }
    }

    /// The last line of the scan.
    func conclusion(seconds: Double) -> String {
        state.withLock { state in
            let files = state.files
            let failed = files.count - files.written
            // Files that an earlier run scanned took none of this time.
            let hasRate = seconds > 0 && state.resumed == 0 && state.skipped == 0
            let rate = hasRate ? ", \(HumanFormat.pixelRate(Double(files.pixels) / seconds))" : ""
            return
                "\(HumanFormat.count(files.written - state.skipped, "file")) scanned"
                + (state.resumed == 0 ? "" : ", \(state.resumed) of them by an earlier run")
                + (state.skipped == 0 ? "" : ", \(state.skipped) left out, since their catalogues exist")
                + (failed == 0 ? "" : ", \(failed) failed")
                + ": \(HumanFormat.count(files.images, "image")), "
                + HumanFormat.count(files.sources, rows)
                + " in \(HumanFormat.duration(seconds: seconds))\(rate)"
                + (state.merged.map { "; \(HumanFormat.count($0.rows, "row")) in \($0.path)" } ?? "")
                + (state.unusedNodes.map { "; \(ScanAccount.words(unusedNodes: $0))" } ?? "")
        }
    }

    /// The line about a file whose catalogues are written.
    static func line(of scan: FileScan, outputs: [String]) -> String {
        let sources = scan.images.reduce(0) { $0 + $1.result.sources.count }
        let count = scan.images.count == 1 ? "" : "\(scan.images.count) images, "
        let rows = scan.images.first?.result.forced == nil ? "source" : "position"
        return "\(scan.file.name): \(count)\(HumanFormat.count(sources, rows)), \(outputs.joined(separator: ", "))"
    }
}
