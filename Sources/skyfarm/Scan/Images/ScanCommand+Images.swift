import CommandLineKit
import Foundation
import ScanCluster
import ScanFarm
import SkyImage
import SkyScan

/// A scan of many images: of many files, or of all images of a file.
extension ScanCommand {
    /// Scans all images of `files` as one job, and writes the catalogues of each file when its images are done.
    func scanImages(of files: [InputList.File]) async throws -> ExitCode {
        let start = ContinuousClock.now
        try refuseSingleImageOptions()
        let files = options.images.ordered(files)
        let outputs = try OutputPlan(options.outputs, files: files, overwrite: options.overwrite)
        try refuseInputsAsOutputs(files, outputs)
        if options.images.skipsExisting { try outputs.requireFITS() }
        if options.dryRun { return try dryRun(files, outputs) }
        let journal = try await openJournal(files) { options.log.write(.info, StyledText($0)) }
        // Decided once, since catalogues are read for it.
        let done = Set((journal?.files.values).map { $0.filter(\.isDone).map(\.name) } ?? [])
        try outputs.prepare(
            files.filter { !done.contains($0.name) },
            // With --skip-existing, what exists is examined file by file.
            checksExistence: !options.images.skipsExisting,
            replacing: Set((journal?.files.values).map { $0.flatMap(\.replaceable) } ?? []))
        let log = options.log.about(journal?.id)
        if let warning = SEPVersion.warning() { log.write(.warning, "\(warning)") }
        let display = ProgressDisplay(options.common, log)
        let interrupts = Interrupts(beforeExit: display.abandon)
        defer { display.finish() }
        let events = ScanEvents(display: display)
        let node = try ScanNode.started(
            options.cluster, job: journal?.id, timeout: options.timeoutSeconds.map { .seconds($0) },
            maxAttempts: options.maxAttempts, events: events)
        defer { node.disconnect() }
        display.handle(.files(files.count))
        let job = ImagesJob(command: self, node: node, events: events, outputs: outputs, journal: journal)
        let work = Task {
            let rest = try job.resume(files, done: done)
            if rest.isEmpty { return }
            try await node.join(options.cluster, events)
            try await job.run(rest)
        }
        let watcher = Task {
            for await _ in interrupts.signals { work.cancel() }
        }
        defer { watcher.cancel() }
        var failure: CommandError?
        do {
            try await work.value
        } catch {
            failure =
                interrupts.received.map { signal in
                    CommandError(
                        signal.exitCode,
                        "scan: stopped; \(job.report.written) of \(HumanFormat.count(files.count, "file")) done"
                            + (journal.map { ", kept as job \($0.id): run the same command again to resume" } ?? ""))
                } ?? CommandError(error, in: "scan")
        }
        display.finish()
        if failure == nil { await finish(journal, job.report, log) }
        return try end(job.report, failure, seconds: (ContinuousClock.now - start) / .seconds(1), log)
    }

    private func end(_ report: ImagesReport, _ failure: CommandError?, seconds: Double, _ log: Log) throws -> ExitCode {
        if options.common.json { try StandardOutput.write(JSONOutput.document(report.document(seconds: seconds))) }
        for line in report.failures { log.write(.error, "\(line)") }
        log.conclude("\(report.conclusion(seconds: seconds))")
        if let failure { return Skyfarm.end(failure, of: "scan", log) }
        return report.exitCode
    }

    /// Refuses options that show or produce one image.
    private func refuseSingleImageOptions() throws {
        if !options.page.paths.isEmpty {
            throw UsageError("--report and --preview show one image; leave them out for several")
        }
        if options.dashboard != nil { throw UsageError("--dashboard shows one image; leave it out for several") }
    }

    private func refuseInputsAsOutputs(_ files: [InputList.File], _ outputs: OutputPlan) throws {
        let inputs = Set(files.map { URL(fileURLWithPath: $0.path).standardizedFileURL.path })
        for file in files {
            for template in outputs.templates {
                let name = template.name(file: file.path)
                if inputs.contains(URL(fileURLWithPath: name).standardizedFileURL.path) {
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
        }
        for file in files {
            let names = outputs.templates.map { $0.name(file: file.path) }
            try StandardOutput.write(
                options.common.json
                    ? JSONOutput.line(Line(file: file.name, outputs: names))
                    : "\(file.name) -> \(names.joined(separator: ", "))\n")
        }
        return .complete
    }
}
