package import CommandLineKit
import Console
import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import SkyCatalogue
import SkyExtraction
import SkyFITS
import SkyReport
import SkyScan

/// `skyfarm scan`: finds the sources of an image and writes a catalogue.
package struct ScanCommand: Command {
    package var options: Options
    /// Absolute names of outputs that this job may replace, since it has written them before it was killed.
    private(set) var replaceable: Set<String> = []

    /// A scan with these options.
    package init(options: Options) { self.options = options }

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        var command = self
        for warning in try command.options.columns?.load() ?? [] { options.log.write(.warning, StyledText(warning)) }
        try command.options.forced?.load()
        return try await command.scanInputs()
    }

    private func scanInputs() async throws -> ExitCode {
        try options.validateDetection()
        if options.images.watches { return try await watch() }
        let list = try InputList(options.inputs, standardInput: StandardInput.text)
        let names = options.outputs + options.checkImages.map(\.name)
        let isPerImage = try names.contains { name in try OutputTemplate(name).isPerImage }
        let files = try await expanded(list.files)
        guard let only = list.files.first, only.node == nil, !list.isOpenEnded, !isPerImage,
            !options.images.skipsExisting,
            options.images.merged == nil, options.images.planes == .colours, options.detectionImage == nil,
            hasOneImage(only)
        else {
            return try await scanImages(of: files)
        }
        if let folder = options.page.folder {
            throw UsageError("--report: \(folder) is a folder; for one image name a file that ends in .html")
        }
        var command = self
        func resolved(_ name: String) throws -> String {
            if name == "-" { return name }
            let template = try OutputTemplate(name)
            return template.hasFields ? try template.folderMade(for: only.path) : name
        }
        command.options.outputs = try options.outputs.map(resolved)
        for index in options.checkImages.indices {
            command.options.checkImages[index].name = try resolved(options.checkImages[index].name)
        }
        return try await command.scanImage()
    }

    /// Whether the argument stands for one image. An error is left to the scan of the image, which says more.
    private func hasOneImage(_ file: InputList.File) -> Bool {
        if file.selector?.plane != nil { return true }
        guard let survey = try? FITSSurvey(of: file.path) else { return true }
        guard let selector = file.selector else { return survey.images.count == 1 && survey.images[0].plane == nil }
        return !survey.images.contains { $0.matches(selector) && $0.plane != nil }
    }

    private func scanImage() async throws -> ExitCode {
        let start = ContinuousClock.now
        try refuseClashes()
        let detection = options.detection
        let reader = try ImageReader(
            image: options.image, mask: detection.mask, weights: detection.weight, slots: options.cluster.slotsHere,
            head: try head(of: options.image, number: 1))
        let parameters = try parameters(for: reader.summary)
        let plan = try failing(.input, about: options.image) {
            try BandPlan(
                width: reader.summary.width, height: reader.summary.height, parameters: parameters,
                requestedRows: options.bandRows, slots: max(1, options.cluster.slotsHere))
        }
        if options.dryRun { return try dryRun(reader.summary, parameters, plan, prepareOutputs()) }
        try requireHub()
        let identity = try failing(.input, about: options.image) {
            try JobIdentity(
                reader: reader, parameters: parameters, bandRows: options.bandRows, software: Software.name)
        }
        var command = self
        command.replaceable = try written(by: identity)
        return try await command.scanImage(reader, parameters, plan, identity, start)
    }

    private func scanImage(
        _ reader: ImageReader, _ parameters: ScanParameters, _ plan: BandPlan, _ identity: JobIdentity,
        _ start: ContinuousClock.Instant
    ) async throws -> ExitCode {
        let outputs = try prepareOutputs()
        let log = options.log.about(identity.id)
        let display = ProgressDisplay(options.common, log)
        let interrupts = Interrupts(beforeExit: display.abandon)
        defer { display.finish() }
        let recorder = ScanRecorder()
        let events = ScanEvents(display: display, recorder: recorder)
        for warning in warnings(of: reader.summary) { events.warn(StyledText(warning)) }
        let node = try ScanNode.started(
            options.cluster, job: identity.id, timeout: options.timeoutSeconds.map { .seconds($0) },
            maxAttempts: options.maxAttempts, oneTask: plan.count == 1, events: events)
        defer { node.disconnect() }
        let journal = try await openJournal(identity, plan, notice: events.say)
        let dashboard = try openDashboard(reader.summary, recorder, display)
        let work = Task { () async throws -> ExitCode in
            try await scan(reader, parameters, node, events, journal, display, dashboard?.source, outputs, start, log)
        }
        let watcher = Task {
            for await _ in interrupts.signals { work.cancel() }
        }
        defer { watcher.cancel() }
        do {
            let code = try await work.value
            await dashboard?.server.close()
            return code
        } catch {
            display.finish()
            let error = interrupts.received.map { stopped(by: $0, journal) } ?? CommandError(error, in: "scan")
            recorder.update { live, time in live.end(.failed, "\(error)", at: time) }
            await dashboard?.server.close(within: 1)
            return log.end(error, of: "scan")
        }
    }

    private func scan(
        _ reader: ImageReader, _ parameters: ScanParameters, _ node: ScanNode, _ events: ScanEvents,
        _ journal: ScanJournal?, _ display: ProgressDisplay, _ dashboard: ScanDashboardSource?,
        _ outputs: [CatalogueOutput],
        _ start: ContinuousClock.Instant, _ log: Log
    ) async throws -> ExitCode {
        let recorder = events.recorder
        // A journal needs the checksums before the first result.
        let patience = journal == nil ? Duration.seconds(1) : .zero
        let early = options.cluster.slotsHere == 0 ? nil : Task { try await reader.checksums(patience: patience) }
        let preview = options.page.paths.isEmpty ? nil : Task { try await self.preview(reader) }
        dashboard?.offer(warn: { events.warn(StyledText($0)) }) {
            if let preview { return try await preview.value }
            return try await self.livePreview(reader)
        }
        defer { preview?.cancel() }
        try await node.join(options.cluster, events)
        await learnCopies(of: reader, node)
        let checksums = early ?? Task { try await self.checksums(of: reader, node, patience: patience) }
        journal?.checkInputs { try reader.requireUnchanged() }
        try await journal?.begin { try await checksums.value }
        let job = try SkyScan(
            reader: reader, parameters: parameters, bandRows: options.bandRows,
            slots: { node.systems.usefulSlots(bytesPerCost: reader.sentBytesPerCost) },
            positions: try options.forced?.placed(in: reader.summary), coordinator: node.coordinator,
            job: UInt64.random(in: .min ... .max), journal: journal, observer: events.handle,
            differentNodes: { node.connections.differentNodes })
        display.handle(
            .began(pixels: reader.summary.width * reader.summary.height, work: job.expectedCost))
        let (result, sums) = try await unchanged(reader, node) {
            do {
                return (try await job.run(), try await checksums.value)
            } catch let error as ScanSetupError {
                throw CommandError(.input, "\(reader.summary.name): \(error)")
            }
        }
        recorder.finish()
        events.report(differentNodes: result.differentNodes.keys.sorted())
        let account = await account(recorder, reader, node, isOnly: true)
        recorder.begin(chore: "writing the catalogue")
        let table = result.table(
            image: reader.summary, parameters: parameters, checksums: sums, software: Software.name)
        try Task.checkCancellation()
        let catalogueTable = try catalogue(
            table, result, reader.summary, parameters, number: 1, checksums: sums)
        let pages = try makePages(result, reader.summary, table, try await preview?.value, recorder, account)
        try await note(outputsIn: journal)
        try await CheckImagePlan.write(
            [
                .init(
                    result: result, reader: reader, parameters: parameters,
                    selected: options.columns.flatMap { result.selectedSources($0.settings, of: reader.summary) })
            ],
            to: options.checkImages.map { .init(image: $0.image, path: $0.name) }, isOnly: true,
            overwrites: overwrites)
        try await reader.confirmUnchanged()
        // The catalogue may go to the same terminal.
        display.finish()
        // A short scan is repeated sooner than a folder is synced.
        try CatalogueOutput.write(
            catalogueTable, to: outputs, syncsFolders: ContinuousClock.now - start >= .seconds(1))
        for page in pages { try page.commit() }
        await finish(journal, result, notice: events.say)
        // The catalogue does not wait for the live page's image.
        await dashboard?.finishPreview()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let catalogue =
            dashboard?.isWatched == true ? summary(result, table, limit: SourcePack.liveLimit) : nil
        recorder.update { live, time in
            end(&live, result, reader.summary, catalogue, account, seconds: seconds, at: time)
        }
        let delivery = await deliver(catalogueTable, of: reader.summary, outputs)
        try report(
            result, reader.summary, parameters, outputs, account, node.connections,
            link: node.connections.linkLine(reader, seconds: seconds), delivery, log, seconds: seconds)
        guard result.missing.isEmpty else { return .partialCatalogue }
        return delivery?.failures == nil ? .complete : .failure
    }
}
