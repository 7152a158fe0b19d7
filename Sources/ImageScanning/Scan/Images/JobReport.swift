import CommandLineKit
import Console
import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import SkyReport
import SkyScan

/// The outcomes of a job's files: the document of `--json`, and the last lines on standard error.
package final class JobReport: Sendable {
    private struct State {
        var files: ReportedFiles
        var leftOut: LeftOutFiles
        /// Number of these files that an earlier run had left out.
        var leftOutBefore = 0
        var arrived = 0
        var resumed = 0
        var skipped = 0
        var tally = JobTally()
        /// The account of the cluster's work; nil for many images.
        var account: ScanAccount?
        var traffic: PixelTraffic?
        /// Lines about copies of files on nodes, the way of the pixels, and the link.
        var copyLines: [String] = []
        var linkLines: [String] = []
        /// Nodes that are connected.
        var nodes = 0
        var merged: (path: String, rows: Int)?
        /// Seconds until the outputs of a sole image were written; nil for many.
        var seconds: Double?
        var delivery: ScanCommand.Delivery?

        var isComplete: Bool { files.done == files.count }

        /// As in ``ScanAccount/unusedNodes``.
        var unusedNodes: Int? {
            account?.unusedNodes ?? (nodes > 0 && tally.isLocal(to: ScanEvents.localName) ? nodes : nil)
        }
    }

    private let state: Locked<State>
    /// The noun for the rows of a catalogue.
    private let rows: String
    /// Whether the job has one image, and the last line is about that.
    private let isSole: Bool
    /// Whether the job watches folders.
    private let isEndless: Bool

    /// Nothing is known. Of a watch, which does not end, the files that are kept have a limit.
    init(rows: String = "source", isSole: Bool = false, isEndless: Bool = false) {
        (self.rows, self.isSole) = (rows, isSole)
        self.isEndless = isEndless
        let limit = isEndless ? ReportedFiles.watchLimit : .max
        state = Locked(State(files: ReportedFiles(limit: limit), leftOut: LeftOutFiles(limit: limit)))
    }

    /// A file's catalogues are written.
    func add(_ scan: FileScan, outputs: [String]) {
        let file = ReportedFile(scan, outputs: outputs)
        state.withLock { state in
            state.files.append(file)
            for image in scan.images {
                state.tally.add(image.result.tally)
                if let account = image.account { state.account = account }
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
    /// - Returns: why that run has left it out; nil if it has not.
    func resume(_ coded: [UInt8]) throws -> LeftOut? {
        let file = try ReportedFile(coded: coded)
        state.withLock { state in
            if let leftOut = file.leftOut {
                state.leftOut.append(leftOut)
                state.leftOutBefore += 1
            } else {
                state.files.append(file)
                state.resumed += 1
            }
        }
        return file.leftOut
    }

    /// Nothing in a file or folder is to be scanned.
    func leaveOut(_ leftOut: LeftOut) { state.withLock { $0.leftOut.append(leftOut) } }

    /// Counts a file that arrived.
    /// - Returns: the number of files so far.
    func countFile() -> Int {
        state.withLock { state in
            state.arrived += 1
            return state.arrived
        }
    }

    /// The table of `--merged` is written.
    func merge(into path: String, rows: Int) { state.withLock { $0.merged = (path, rows) } }

    /// A catalogue was sent to other programs.
    func add(_ delivery: ScanCommand.Delivery) {
        state.withLock { state in state.delivery = state.delivery.map { $0.adding(delivery) } ?? delivery }
    }

    /// The outputs of the sole image are written: what follows, such as the end of its live page, is none of its time.
    func end(seconds: Double) { state.withLock { $0.seconds = seconds } }

    /// Seconds until the outputs of a sole image were written; nil for many.
    var seconds: Double? { state.withLock(\.seconds) }

    /// A file has no catalogue, for this reason.
    func fail(_ file: InputList.File, _ reason: String) {
        state.withLock { $0.files.append(ReportedFile(file: file.name, errors: [reason])) }
    }

    /// Takes over which nodes are connected, and how they got the pixels. `link`: what the link to the nodes gave.
    func record(_ node: ScanNode, _ copies: FileCopies?, link: String?) {
        let nodes = node.connections
        let (traffic, copyLines) = (PixelTraffic(nodes.traffic), nodes.copyLines(copies))
        let lines = [nodes.pixelLine, link].compactMap(\.self)
        let joined = node.systems.snapshot.count { !$0.isLocal }
        state.withLock { ($0.traffic, $0.copyLines, $0.linkLines, $0.nodes) = (traffic, copyLines, lines, joined) }
    }

    /// Number of files that an earlier run has finished or left out.
    var settledBefore: Int { state.withLock { $0.resumed + $0.leftOutBefore } }

    /// The error that everything is left out, so that the job had nothing to do; nil if there was something, and of a
    /// watch.
    var emptiness: CommandError? {
        state.withLock { state in
            guard !isEndless, state.files.count == 0, let words = state.leftOut.words else { return nil }
            // The others have been named.
            let example = state.leftOut.newest.first { [.condition, .card].contains($0.cause) }
            return CommandError(
                .input, "nothing to scan: \(words)" + (example.map { "; for instance \($0.line)" } ?? ""))
        }
    }

    /// Number of sources in all catalogues.
    var sources: Int { state.withLock(\.files.sources) }

    /// Number of files whose catalogues are written.
    var written: Int { state.withLock(\.files.written) }

    /// Whether files have catalogues, and how they failed, as a whole or in part, by name.
    var outcomes: [String: (hasCatalogue: Bool, failures: [String])] {
        state.withLock { state in
            Dictionary(state.files.newest.map { ($0.file, (!$0.outputs.isEmpty, $0.failures)) }) { $1 }
        }
    }

    /// 0 if all files were scanned that are not left out, 23 if some were, 5 if none was; 1 if a program has not loaded
    /// a catalogue.
    var exitCode: ExitCode {
        state.withLock { state in
            if !isEndless, state.files.count == 0, state.leftOut.count > 0 { return .input }
            if !state.isComplete { return state.files.written > 0 ? .partialCatalogue : .input }
            return state.delivery?.failures == nil ? .complete : .failure
        }
    }

    /// Returns the outcome that the journal records at the end. A job whose catalogues lack sectors is partial, since
    /// the same command may find them on other nodes; a file that cannot be scanned is done with. A job of which
    /// everything is left out has failed, as its exit code says.
    func end() -> FilesJournal.End {
        state.withLock { state in
            let tasks = state.tally.tasks
            let hasNothing = state.files.count == 0 && state.leftOut.count == 0
            let result: JobRecord.State =
                isEndless || hasNothing
                ? .unfinished : tasks.missing > 0 ? .partial : state.files.written == 0 ? .failed : .finished
            return FilesJournal.End(
                state: result, isComplete: result == .finished && state.isComplete, sources: state.files.sources,
                tasksDone: tasks.done + tasks.resumed, tasks: tasks.done + tasks.resumed + tasks.missing)
        }
    }

    /// Whether all files have complete catalogues.
    var isComplete: Bool { state.withLock(\.isComplete) }

    /// The document for `--json`, with the files in the order of completion.
    func document(seconds: Double) -> some Encodable {
        state.withLock { state in
            let files = state.files
            let omitted = files.count - files.newest.count
            return JobDocument(
                files: Array(files.newest), filesOmitted: omitted == 0 ? nil : omitted, done: files.done,
                resumed: state.resumed, skipped: state.skipped, leftOut: state.leftOut.count,
                filesLeftOut: Array(state.leftOut.newest), failed: files.count - files.written,
                partial: files.written - files.done, images: files.images, sources: files.sources,
                pixels: files.pixels, seconds: state.seconds ?? seconds, merged: state.merged?.path,
                tasks: state.tally.tasks,
                systems: state.tally.systemShares, steps: state.tally.stepShares, speedUp: state.account?.speedUp,
                bound: state.account?.bound, unusedNodes: state.unusedNodes, pixelTraffic: state.traffic,
                samp: state.delivery)
        }
    }

    /// Writes what failed, what nodes did with the pixels, and what was found.
    func write(to log: Log, seconds: Double) {
        let (files, copyLines, linkLines, delivery) = state.withLock {
            ($0.files.newest, $0.copyLines, $0.linkLines, $0.delivery)
        }
        let failures =
            isSole ? files.flatMap(\.images).flatMap(\.missing).map(\.line) : files.flatMap(\.failures)
        for line in failures { log.write(.error, "\(line)") }
        for line in copyLines { log.write(.warning, "\(line)") }
        for line in linkLines { log.conclude("\(line)") }
        if let emptiness { return log.write(.error, StyledText(emptiness.description)) }
        log.conclude(conclusion(seconds: seconds))
        delivery?.write(to: log)
    }

    /// The last line of the job.
    func conclusion(seconds: Double) -> StyledText {
        state.withLock { state in
            guard isSole, let file = state.files.newest.first, let image = file.images.first else {
                return "\(totals(state, seconds: seconds))"
            }
            let resumed = state.tally.tasks.resumed
            let saved = resumed == 0 ? "" : ", \(HumanFormat.count(resumed, "task")) resumed from the journal"
            let names = file.outputs.filter { $0 != "-" }
            let written = names.isEmpty ? "" : ", written to \(names.joined(separator: ", "))"
            let speed = state.account?.words.map { "; " + $0 } ?? ""
            let found = image.found(rows: rows, sectors: state.tally.tasks.done + image.missing.count)
            let time = HumanFormat.duration(seconds: state.seconds ?? seconds)
            return
                "\(name: image.image): \(found) in \(time)\(saved)\(written)\(speed)"
        }
    }

    private func totals(_ state: State, seconds: Double) -> String {
        let files = state.files
        let failed = files.count - files.written
        // Files that an earlier run scanned took none of this time.
        let hasRate = seconds > 0 && state.resumed == 0 && state.skipped == 0
        let rate = hasRate ? ", \(HumanFormat.pixelRate(Double(files.pixels) / seconds))" : ""
        return
            "\(HumanFormat.count(files.written - state.skipped, "file")) scanned"
            + (state.resumed == 0 ? "" : ", \(state.resumed) of them by an earlier run")
            + (state.skipped == 0 ? "" : ", \(state.skipped) left out, since their catalogues exist")
            + (state.leftOut.words.map { ", \($0)" } ?? "")
            + (failed == 0 ? "" : ", \(failed) failed")
            + ": \(HumanFormat.count(files.images, "image")), "
            + HumanFormat.count(files.sources, rows)
            + " in \(HumanFormat.duration(seconds: seconds))\(rate)"
            + (state.merged.map { "; \(HumanFormat.count($0.rows, "row")) in \($0.path)" } ?? "")
            + (state.unusedNodes.map { "; \(ScanAccount.words(unusedNodes: $0))" } ?? "")
    }

    /// The line about a file whose catalogues are written.
    static func line(of scan: FileScan, outputs: [String]) -> String {
        let sources = scan.images.reduce(0) { $0 + $1.result.sources.count }
        let count = scan.images.count == 1 ? "" : "\(scan.images.count) images, "
        let rows = scan.images.first?.result.forced == nil ? "source" : "position"
        return "\(scan.file.name): \(count)\(HumanFormat.count(sources, rows)), \(outputs.joined(separator: ", "))"
    }
}

extension ReportedFile.Image {
    /// The number of sources in words; "no sources" only if every sector was scanned. It is explained if masks and
    /// pixels that are not numbers leave less than 5 % of the image.
    /// - Parameters:
    ///   - rows: what a row of the catalogue is: "source" or "position".
    ///   - sectors: number of tasks.
    /// - Returns: as in "7 sources; 1 of 9 sectors missing".
    package func found(rows: String, sectors: Int) -> String {
        let count = HumanFormat.count(sources, missing.isEmpty ? rows : "source")
        if !missing.isEmpty { return "\(count); \(missing.count) of \(sectors) sectors missing" }
        guard sources == 0, rows == "source" else { return count }
        let pixels = width * height
        let usable = pixels - maskedPixels
        return usable * 20 < pixels
            ? "no sources found (only \(usable) of \(pixels) pixels unmasked)" : "no sources found"
    }
}
