package import CommandLineKit
import Console
import Foundation
import ScanBasics
import ScanCluster
import ScanFarm
import ScanNetwork
import SkyExtraction
package import SkyScan

/// The job of a scan: what it writes, and its run.
extension ScanCommand {
    /// Scans all images of `files` as one job, and writes the outputs of each file when its images are done. `sole`: the
    /// image, if there is only one. `leftOut`: folders without files.
    func scanImages(
        of files: [InputList.File], _ outputs: OutputPlans, _ sole: SoleImage? = nil, leftOut: [LeftOut] = []
    ) async throws -> ExitCode {
        if options.images.merged != nil, options.columns != nil {
            throw UsageError("--merged has the usual columns only: omit it, or --columns")
        }
        let merged = try options.images.merged.map { name in
            // In the order of the inputs, which --priority does not change.
            try MergedOutput(name, of: files, outputs.catalogues, overwrite: options.overwrite)
        }
        let files = options.images.ordered(files)
        if options.images.skipsExisting { try outputs.catalogues.requireFITS() }
        if sole == nil { try claim(files, outputs) }
        if options.dryRun { return try dryRun(files, outputs, sole, leftOut) }
        try requireHub()
        let journal = try await openJournal(
            files.map(\.name), count: files.count, sole: sole.map { ($0, outputs.names(of: files[0])) })
        let earlier = try await journal?.files() ?? []
        // Decided once, since catalogues are read for it. A sole image is scanned again.
        let done = sole == nil ? Dictionary(earlier.filter(\.isDone).map { ($0.name, $0) }) { $1 } : [:]
        let rest = files.filter { done[$0.name] == nil }
        let open = earlier.filter { file in
            sole == nil ? done[file.name] == nil : !file.isComplete || journal?.isFinished == false
        }
        // Catalogues that are to be used again are examined file by file.
        let reuses = reusesCatalogues(outputs)
        let unwritten = reuses || sole != nil ? [] : self.leftOut(amongExisting: rest, outputs)
        try outputs.prepare(
            rest.filter { !unwritten.contains($0.name) }, checksCatalogues: !reuses, checksOthers: !reuses,
            replacing: Set(open.flatMap(\.replaceable)))
        try merged?.prepare(journal)
        let pages = try JobPages(self, files, outputs, replaces: sole == nil && journal?.hasFiles == true, sole: sole)
        let report = JobReport(rows: options.rowName, isSole: sole != nil)
        leftOut.forEach(report.leaveOut)
        for folder in leftOut { options.log.write(.warning, StyledText(folder.line)) }
        return try await scan(
            .files(files, done: done),
            .init(
                outputs: outputs, detections: try SharedDetections(options.detectionImage), merged: merged,
                journal: journal, report: report, pages: pages, sole: sole, images: files.count,
                reusesCatalogues: reuses))
    }

    /// Whether catalogues that exist are used again if they are, by their headers, those that a scan would write: with
    /// `--skip-existing`, and for `--merged`, which reads them.
    private func reusesCatalogues(_ outputs: OutputPlans) -> Bool {
        if options.images.skipsExisting { return true }
        return options.images.merged != nil && !options.overwrite && options.checkImages.isEmpty
            && (try? outputs.catalogues.requireFITS()) != nil
    }

    /// Where the files come from.
    package enum Source: Sendable {
        /// They are known; those in `done`, by their names, were finished by an earlier run.
        case files([InputList.File], done: [String: JournalledFile])
        /// They arrive in folders, until a signal ends that.
        case folders(FolderWatch)
    }

    /// Scans files and reports what became of them.
    package func scan(_ source: Source, _ results: ScanJob.Results) async throws -> ExitCode {
        let start = ContinuousClock.now
        let log = options.log.about(results.id)
        let display = ProgressDisplay(options.common, log)
        let interrupts = Interrupts(beforeExit: display.abandon)
        let failure = await run(source, results, display, interrupts)
        // A sole image that cannot be scanned ends the job, which has failed.
        let isEnded = failure == nil || results.sole != nil && failure?.code == .input
        if isEnded { await finish(results, log) }
        let code = try end(results, failure, seconds: (ContinuousClock.now - start) / .seconds(1), log)
        await results.pages?.close(failed: failure != nil, log, interrupts)
        return code
    }

    /// Runs the job to its end, or until a signal stops it.
    /// - Returns: what ended the job before all files were done; nil if they are.
    private func run(
        _ source: Source, _ results: ScanJob.Results, _ display: ProgressDisplay, _ interrupts: Interrupts
    ) async -> CommandError? {
        defer { display.finish() }
        let events = ScanEvents(display: display, recorder: results.sole?.recorder ?? ScanRecorder())
        let words = { @Sendable (error: any Error) -> CommandError in
            guard let signal = interrupts.received else {
                return events.choice.error ?? CommandError(error, in: "scan")
            }
            if results.sole != nil { return stopped(by: signal, results.journal?.sole) }
            let kept = results.journal == nil ? nil : results.id
            let resume = kept.map { ", kept as job \($0): run the same command again to resume" } ?? ""
            let done = "\(results.report.written)\(source.total) done"
            return CommandError(signal.exitCode, "scan: stopped; \(done)\(resume)")
        }
        let work = Task {
            try await scan(source, results, events, words)
            let rows = try await results.merged?.write(results.report, results.journal)
            if let path = options.images.merged, let rows { results.report.merge(into: path, rows: rows) }
        }
        events.choice.onAmbiguity { work.cancel() }
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
        return words(error)
    }

    /// Scans the files with the nodes of the cluster. `words`: how an error that ends the job is reported.
    private func scan(
        _ source: Source, _ results: ScanJob.Results, _ events: ScanEvents,
        _ words: @escaping @Sendable (any Error) -> CommandError
    ) async throws {
        let node = try ScanNode.started(
            options.cluster, job: results.id, timeout: options.timeoutSeconds.map { .seconds($0) },
            maxAttempts: options.maxAttempts, manyImages: results.sole == nil,
            oneTask: results.sole?.isOneTask == true, events: events)
        events.display.follow { [systems = node.systems] in systems.snapshot }
        let placed = source.files.filter { $0.node != nil }.map { ($0.path, Set($0.nodes)) }
        let copies = FileCopies(
            of: source.files.filter { $0.node == nil }.map(\.path), among: node.systems,
            placed: Dictionary(placed) { $0.union($1) })
        defer {
            let link = results.sole.flatMap { sole in
                node.connections.linkLine(sole.reader, seconds: results.report.seconds ?? sole.recorder.elapsed)
            }
            // A node that could not read the only image is named, whoever else has a copy.
            results.report.record(node, results.sole == nil ? copies : nil, link: link)
            node.disconnect()
        }
        func work() async throws {
            let job = ScanJob(
                command: self, node: node, events: events, results: results, copies: copies,
                sole: results.sole.map { begin($0, results.journal, events) })
            job.masters?.begin()
            defer { job.masters?.end() }
            try await run(job, source)
        }
        guard let pages = results.pages else { return try await work() }
        try await pages.follow(node, events, { results.report.conclusion(seconds: $0) }, words, work)
    }

    private func run(_ job: ScanJob, _ source: Source) async throws {
        let node = job.node
        switch source {
        case .files(let files, let done):
            if job.sole == nil { job.events.display.handle(.files(files.count)) }
            let rest = try job.resume(files, done: done)
            if rest.isEmpty { return }
            try await node.join(options.cluster, job.events)
            try await node.find(rest, options.cluster)
            await learn(job.copies, node)
            try await job.run(rest)
        case .folders(let watch):
            try await node.join(options.cluster, job.events)
            watch.begin()
            try await job.run(watch)
        }
    }

    private func end(
        _ results: ScanJob.Results, _ failure: CommandError?, seconds: Double, _ log: Log
    ) throws -> ExitCode {
        // If a sole image could not be scanned, the error tells the user everything.
        let isWhole = failure == nil || results.sole == nil
        if options.common.json, isWhole || failure?.code == .input {
            try StandardOutput.write(JSONOutput.document(results.report.document(seconds: seconds)))
        }
        if isWhole { results.report.write(to: log, seconds: seconds) }
        if let failure { return log.end(failure, of: "scan") }
        return results.report.exitCode
    }

    /// Reports that a sole image cannot be opened, or is left out, to programs, as for one of many images.
    /// - Returns: the error, for people.
    func reported(_ error: CommandError, of sole: SoleFile) throws -> CommandError {
        if error.code == .input, !options.dryRun {
            let display = ProgressDisplay(options.common, options.log)
            let errors = sole.leftOut == nil ? [error.description] : []
            display.handle(
                .fileEnded(file: sole.file.name, outputs: [], errors: errors, leftOut: sole.leftOut?.reason))
            display.finish()
            let report = JobReport(isSole: true)
            if let leftOut = sole.leftOut {
                report.leaveOut(leftOut)
            } else {
                report.fail(sole.file, error.description)
            }
            if options.common.json { try StandardOutput.write(JSONOutput.document(report.document(seconds: 0))) }
        }
        return error
    }
}

extension ScanCommand.Source {
    /// Empty if they are not known.
    fileprivate var files: [InputList.File] { if case .files(let files, _) = self { files } else { [] } }

    /// The words after the number of finished files: " of 3 files", or " files" if the total is not known.
    fileprivate var total: String {
        if case .files(let files, _) = self { " of \(HumanFormat.count(files.count, "file"))" } else { " files" }
    }
}
