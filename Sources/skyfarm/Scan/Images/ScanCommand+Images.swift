import CommandLineKit
import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import SkyImage
import SkyScan

/// A scan of many images: of many files, or of all images of a file.
extension ScanCommand {
    /// Scans all images of `files` as one job, and writes the catalogues of each file when its images are done.
    func scanImages(of files: [InputList.File]) async throws -> ExitCode {
        try refuseSingleImageOptions()
        let files = options.images.ordered(files)
        let outputs = try OutputPlan(options.outputs, files: files, overwrite: options.overwrite)
        try refuseInputsAsOutputs(files, outputs)
        if options.dryRun { return try dryRun(files, outputs) }
        try outputs.prepare(files)
        let pages = try NightPages(self, files)
        let start = ContinuousClock.now
        let log = options.log.about(nil)
        let report = ImagesReport()
        let failure = await scan(files, outputs, report, pages, log)
        return try end(report, failure, seconds: (ContinuousClock.now - start) / .seconds(1), log)
    }

    /// Runs the job to its end, or until a signal stops it.
    /// - Returns: what ended the job before all files were done; nil if they are.
    private func scan(
        _ files: [InputList.File], _ outputs: OutputPlan, _ report: ImagesReport, _ pages: NightPages?, _ log: Log
    ) async -> CommandError? {
        if let warning = SEPVersion.warning() { log.write(.warning, "\(warning)") }
        let display = ProgressDisplay(options.common, log)
        let interrupts = Interrupts(beforeExit: display.abandon)
        defer { display.finish() }
        display.handle(.files(files.count))
        let work = Task { try await run(files, outputs, report, pages, display) }
        let watcher = Task {
            for await _ in interrupts.signals { work.cancel() }
        }
        defer { watcher.cancel() }
        guard case .failure(let error) = await work.result else { return nil }
        guard let signal = interrupts.received else { return CommandError(error, in: "scan") }
        let count = HumanFormat.count(files.count, "file")
        return CommandError(signal.exitCode, "scan: stopped; \(report.written) of \(count) done")
    }

    /// Scans the files with the nodes of the cluster.
    private func run(
        _ files: [InputList.File], _ outputs: OutputPlan, _ report: ImagesReport, _ pages: NightPages?,
        _ display: ProgressDisplay
    ) async throws {
        let events = ScanEvents(display: display)
        let node = try ScanNode.started(
            options.cluster, timeout: options.timeoutSeconds.map { .seconds($0) },
            maxAttempts: options.maxAttempts, events: events)
        defer {
            report.record(node.connections)
            node.disconnect()
        }
        let job = ImagesJob(
            command: self, node: node, events: events, outputs: outputs, report: report, pages: pages)
        let work = {
            try await node.join(options.cluster, events)
            try await job.run(files)
        }
        guard let pages else { return try await work() }
        try await pages.follow(node, display, { report.conclusion(seconds: $0) }, work)
    }

    private func end(_ report: ImagesReport, _ failure: CommandError?, seconds: Double, _ log: Log) throws -> ExitCode {
        if options.common.json { try StandardOutput.write(JSONOutput.document(report.document(seconds: seconds))) }
        for line in report.failures { log.write(.error, "\(line)") }
        if let line = report.pixelLine { log.conclude("\(line)") }
        log.conclude("\(report.conclusion(seconds: seconds))")
        if let failure { return Skyfarm.end(failure, of: "scan", log) }
        return report.exitCode
    }

    /// Refuses options that show or produce one image.
    private func refuseSingleImageOptions() throws {
        if options.page.preview != nil { throw UsageError("--preview shows one image; leave it out for several") }
        if let report = options.page.report {
            let name = (report as NSString).deletingPathExtension
            throw UsageError(
                "--report: \(report) is a page of one image; for several name a folder, as in --report \(name)/")
        }
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
