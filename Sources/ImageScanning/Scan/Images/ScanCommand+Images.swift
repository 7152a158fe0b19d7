package import CommandLineKit
import Console
import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import SkyExtraction
package import SkyScan

/// A scan of many images: of many files, or of all images of a file.
extension ScanCommand {
    /// Scans all images of `files` as one job, and writes the catalogues of each file when its images are done.
    func scanImages(of files: [InputList.File]) async throws -> ExitCode {
        try refuseSingleImageOptions()
        let outputs = try OutputPlan(
            options.outputs, files: files, overwrite: options.overwrite, format: options.columns?.format)
        let checkImages = try CheckImagePlan(options.checkImages, files: files, overwrite: options.overwrite)
        // No check image may have the name of a catalogue.
        _ = try OutputPlan(
            options.outputs + options.checkImages.map(\.name), files: files, overwrite: true, format: .fits)
        if options.images.merged != nil, options.columns != nil {
            throw UsageError("--merged has the usual columns only: omit it, or --columns")
        }
        let merged = try options.images.merged.map { name in
            // In the order of the inputs, which --priority does not change.
            try MergedOutput(name, of: files, outputs, overwrite: options.overwrite)
        }
        let files = options.images.ordered(files)
        try refuseInputsAsOutputs(files, outputs.templates + checkImages.names.templates)
        if options.images.skipsExisting { try outputs.requireFITS() }
        let claims = try claimedOutputs(files, [outputs, checkImages.names])
        if options.dryRun { return try dryRun(files, outputs) }
        let journal = try await openJournal(files.map(\.name), count: files.count)
        let earlier = try await journal?.files() ?? []
        // Decided once, since catalogues are read for it.
        let done = Dictionary(earlier.filter(\.isDone).map { ($0.name, $0) }) { $1 }
        let replaceable = Set(earlier.filter { done[$0.name] == nil }.flatMap(\.replaceable))
        let rest = files.filter { done[$0.name] == nil }
        try outputs.prepare(
            rest,
            // With --skip-existing, what exists is examined file by file.
            checksExistence: !options.images.skipsExisting,
            replacing: replaceable)
        try checkImages.names.prepare(rest, replacing: replaceable)
        try merged?.prepare(journal)
        let pages = try NightPages(self, files, replaces: journal?.hasFiles == true)
        return try await scan(
            .files(files, done: done),
            .init(
                outputs: outputs, checkImages: checkImages, claims: claims,
                detections: try SharedDetections(options.detectionImage), merged: merged, journal: journal,
                report: ImagesReport(rows: options.rowName), pages: pages))
    }

    /// Where the files come from.
    package enum Source: Sendable {
        /// They are known; those in `done`, by their names, were finished by an earlier run.
        case files([InputList.File], done: [String: JournalledFile])
        /// They arrive in folders, until a signal ends that.
        case folders(FolderWatch)
    }

    /// Scans files and reports what became of them.
    package func scan(_ source: Source, _ results: ImagesJob.Results) async throws -> ExitCode {
        let start = ContinuousClock.now
        let log = options.log.about(results.journal?.id)
        let failure = await run(source, results, log)
        if failure == nil { await finish(results, isEndless: source.isEndless, log) }
        return try end(results.report, failure, seconds: (ContinuousClock.now - start) / .seconds(1), log)
    }

    /// Runs the job to its end, or until a signal stops it.
    /// - Returns: what ended the job before all files were done; nil if they are.
    private func run(_ source: Source, _ results: ImagesJob.Results, _ log: Log) async -> CommandError? {
        let display = ProgressDisplay(options.common, log)
        let interrupts = Interrupts(beforeExit: display.abandon)
        defer { display.finish() }
        let work = Task {
            try await scan(source, results, display)
            let rows = try await results.merged?.write(results.report, results.journal)
            if let path = options.images.merged, let rows { results.report.merge(into: path, rows: rows) }
        }
        let watcher = Task {
            var endless: FolderWatch? = if case .folders(let watch) = source { watch } else { nil }
            for await _ in interrupts.signals {
                // The first signal ends a watch; images that are being scanned are finished.
                if let watch = endless { watch.stop() } else { work.cancel() }
                endless = nil
            }
        }
        defer { watcher.cancel() }
        guard case .failure(let error) = await work.result else { return nil }
        guard let signal = interrupts.received else { return CommandError(error, in: "scan") }
        let resume = results.journal.map { ", kept as job \($0.id): run the same command again to resume" } ?? ""
        return CommandError(signal.exitCode, "scan: stopped; \(results.report.written)\(source.total) done\(resume)")
    }

    /// Scans the files with the nodes of the cluster.
    private func scan(_ source: Source, _ results: ImagesJob.Results, _ display: ProgressDisplay) async throws {
        let events = ScanEvents(display: display)
        let node = try ScanNode.started(
            options.cluster, job: results.journal?.id, timeout: options.timeoutSeconds.map { .seconds($0) },
            maxAttempts: options.maxAttempts, manyImages: true, events: events)
        let placed = source.files.filter { $0.node != nil }.map { ($0.path, Set($0.nodes)) }
        let copies = FileCopies(
            of: source.files.filter { $0.node == nil }.map(\.path), among: node.systems,
            placed: Dictionary(placed) { $0.union($1) })
        defer {
            results.report.record(node, copies)
            node.disconnect()
        }
        let job = ImagesJob(command: self, node: node, events: events, results: results, copies: copies)
        guard let pages = results.pages else { return try await run(job, source, node, events) }
        try await pages.follow(node, display, { results.report.conclusion(seconds: $0) }) {
            try await run(job, source, node, events)
        }
    }

    private func run(_ job: ImagesJob, _ source: Source, _ node: ScanNode, _ events: ScanEvents) async throws {
        switch source {
        case .files(let files, let done):
            events.display.handle(.files(files.count))
            let rest = try job.resume(files, done: done)
            if rest.isEmpty { return }
            try await node.join(options.cluster, events)
            try await node.find(rest, options.cluster)
            await learn(job.copies, node)
            try await job.run(rest)
        case .folders(let watch):
            try await node.join(options.cluster, events)
            watch.begin()
            try await job.run(watch)
        }
    }

    private func end(_ report: ImagesReport, _ failure: CommandError?, seconds: Double, _ log: Log) throws -> ExitCode {
        if options.common.json { try StandardOutput.write(JSONOutput.document(report.document(seconds: seconds))) }
        for line in report.failures { log.write(.error, "\(line)") }
        for line in report.copyLines { log.write(.warning, "\(line)") }
        if let line = report.pixelLine { log.conclude("\(line)") }
        log.conclude("\(report.conclusion(seconds: seconds))")
        if let failure { return log.end(failure, of: "scan") }
        return report.exitCode
    }

    /// Refuses options that show or produce one image.
    func refuseSingleImageOptions() throws {
        if options.page.preview != nil { throw UsageError("--preview shows one image; leave it out for several") }
        if options.sampHub != nil { throw UsageError("--samp sends one image; leave it out for several") }
        if let report = options.page.report {
            let name = (report as NSString).deletingPathExtension
            throw UsageError(
                "--report: \(report) is a page of one image; for several name a folder, as in --report \(name)/")
        }
    }

    private func refuseInputsAsOutputs(_ files: [InputList.File], _ outputs: [OutputTemplate]) throws {
        let inputs = Set(files.filter { $0.node == nil }.map { Self.absolute($0.path) })
        for file in files {
            for template in outputs {
                let name = template.name(file: file.path)
                if inputs.contains(Self.absolute(name)) {
                    throw CommandError(.output, "\(name): is an image itself; choose another name")
                }
            }
        }
    }

    private func dryRun(_ files: [InputList.File], _ outputs: OutputPlan) throws -> ExitCode {
        struct Line: Encodable {
            var v = 1
            var file: String
            var outputs: [String]
            var merged: String?
        }
        for file in files {
            let names = outputs.templates.map { $0.name(file: file.path) }
            try StandardOutput.write(
                options.common.json
                    ? JSONOutput.line(Line(file: file.name, outputs: names, merged: options.images.merged))
                    : "\(file.name) -> \(names.joined(separator: ", "))\n")
        }
        if let merged = options.images.merged, !options.common.json {
            try StandardOutput.write("\(HumanFormat.count(files.count, "file")) -> \(merged)\n")
        }
        return .complete
    }
}

extension ScanCommand.Source {
    /// Empty if they are not known.
    fileprivate var files: [InputList.File] { if case .files(let files, _) = self { files } else { [] } }

    fileprivate var isEndless: Bool { if case .folders = self { true } else { false } }

    /// Of how many files, in words; empty if their number is not known.
    fileprivate var total: String {
        if case .files(let files, _) = self { " of \(HumanFormat.count(files.count, "file"))" } else { " files" }
    }
}
