import CommandLineKit
import Console
import Foundation
import ScanBasics
import ScanCluster
package import ScanFarm
import ScanNetwork
import SkyCatalogue
import SkyExtraction
import SkyFITS
package import SkyScan
import TaskJournal

/// The job of a scan: its images, one or many, in one queue on one node with its connections.
///
/// ``run(_:)-([InputList.File])`` opens the files in turn, as far as the queue has room. Each image is a ``SkyScan``; when the
/// last one of a file is done, the file's outputs are written. A job of one image differs in three ways: the image was
/// opened before (``SoleImage``), its bands fit the cluster, and what goes wrong with it ends the job.
package struct ScanJob: Sendable {
    /// The outputs of a job, and where they are written.
    package struct Results: Sendable {
        package let outputs: OutputPlans
        /// The detections of `--detect`; nil without it.
        let detections: SharedDetections?
        /// The catalogue of `--merged`; nil without it.
        package var merged: MergedOutput?
        /// The job's journal; nil if it keeps none.
        package let journal: FilesJournal?
        package var report = JobReport()
        /// The job's pages; nil without `--report`, `--preview` and `--dashboard`.
        package let pages: JobPages?
        /// The image of a job of one; nil for many images.
        var sole: SoleImage?
        /// Number of files; nil if it is not known.
        var images: Int?
        /// Whether catalogues that exist and are current are used again.
        var reusesCatalogues = false

        /// The job's ID, if it has one.
        var id: String? { SubmittedRun.current?.id ?? sole?.identity.id ?? journal?.id }
    }

    package let command: ScanCommand
    package let results: Results
    package let events: ScanEvents
    package let node: ScanNode
    let queue: ImageQueue
    /// The warnings about cards that were written: files of one night cause the same ones.
    let warned = Locked<Set<String>>([])
    /// The nodes' copies of files of this machine.
    package let copies: FileCopies
    /// The state of a job of one image; nil for many images.
    let sole: SoleScan?
    let deliveries = DeliveryQueue()
    /// Brings masters to nodes; nil if images are scanned as they are.
    let masters: MasterDelivery?
    /// Records of files that are left out, which are not in the journal yet, by name of the file.
    let unwritten = Locked<[String: JournalledFile]>([:])

    package init(
        command: ScanCommand, node: ScanNode, events: ScanEvents, results: Results, copies: FileCopies,
        sole: SoleScan? = nil
    ) {
        (self.command, self.node, self.events, self.results) = (command, node, events, results)
        (self.copies, self.sole) = (copies, sole)
        queue = ImageQueue(systems: node.systems)
        masters = command.options.calibration.map { _ in MasterDelivery(node.coordinator, images: results.images) }
    }

    package var options: ScanCommand.Options { command.options }
    package var report: JobReport { results.report }
    package var journal: FilesJournal? { results.journal }
    var pages: JobPages? { results.pages }

    /// Scans the files in order. One that cannot be scanned is reported, and the others are scanned.
    /// - Throws: what ends the job: `CancellationError`, ``ScanError`` if there is no system, ``OutputError`` if the disk
    ///   is full; with `--fail-fast` the first error of a file.
    package func run(_ files: [InputList.File]) async throws {
        defer { if sole == nil { events.report(differentNodes: node.connections.differentNodes.keys.sorted()) } }
        queue.expect(images: files.count)
        try await withThrowingDiscardingTaskGroup { group in
            for file in files { try await start(file, in: &group) }
            try await writeLeftOut()
        }
    }

    /// Scans the files that a watch of folders finds, until the watch is stopped; otherwise as ``run(_:)``.
    package func run(_ watch: FolderWatch) async throws {
        defer { events.report(differentNodes: node.connections.differentNodes.keys.sorted()) }
        let scanned = Locked(0)
        try await withThrowingDiscardingTaskGroup { group in
            for await action in watch.actions {
                switch action {
                case .check(let path, let stamp): watch.check(path, stamp)
                case .warn(let line): events.warn(StyledText(line))
                case .scan(let path):
                    guard watch.begins(path) else { continue }
                    let file = InputList.File(path: path)
                    // The file has changed since it was left out: that record must not replace a later one.
                    unwritten.withLock { $0[file.name] = nil }
                    if let known = try await journal?.file(file.name), known.isDone {
                        try resume(file, known)
                        watch.handle(.scanned(path))
                    } else {
                        events.display.handle(.files(report.countFile()))
                        pages?.add(file)
                        try await start(file, in: &group) {
                            watch.handle(.scanned(path))
                            let count = scanned.withLock { count in
                                count += 1
                                return count
                            }
                            if count.isMultiple(of: Self.filesBetweenTrims) { FreedMemory.trim() }
                        }
                    }
                }
            }
            try await writeLeftOut()
        }
    }

    /// Files of a watch after which freed memory is returned.
    private static let filesBetweenTrims = 250

    /// Opens the images of a file one after the other, as the queue has room, and adds their scans to `group`. `ended` is
    /// called when the last one is done or the file has failed.
    private func start(
        _ file: InputList.File, in group: inout ThrowingDiscardingTaskGroup<any Error>,
        ended: @escaping @Sendable () -> Void = {}
    ) async throws {
        try Task.checkCancellation()
        do {
            var stamps = stamps(of: file)
            let chosen = try await choose(file, &stamps)
            let (survey, images) = (chosen.survey, chosen.images)
            if let leftOut = chosen.leftOut {
                try await leaveOut(leftOut, file, stamps)
                return ended()
            }
            try results.outputs.claim(images, of: file)
            // Its folder may be new, and with it those of its outputs.
            if options.images.watches, options.images.isRecursive {
                try results.outputs.prepare([file], checksCatalogues: false, checksOthers: false)
            }
            // A sole image's warnings contain these faults.
            for fault in survey.faults where sole == nil { events.warn(StyledText(fault)) }
            if results.reusesCatalogues, try await isCurrent(file, chosen) {
                try await skip(file, stamps)
                pages?.keep(file)
                queue.expect(images: -1)
                return ended()
            }
            if sole == nil { events.display.handle(.fileBegan(images: images.count)) }
            pages?.know(images, of: file)
            queue.expect(images: images.count - 1)
            let scan = FileScan(file, chosen, stamps: stamps, ended: ended)
            for image in images {
                let ticket = try await queue.enter()
                group.addTask {
                    // After the ticket is given back: programs that load catalogues do not hold up the scan.
                    let catalogues = try await finish(image, of: scan, survey, ticket)
                    if let catalogues { await deliver(scan, catalogues) }
                }
            }
        } catch {
            queue.expect(images: -1)
            if sole == nil { events.display.handle(.fileBegan(images: 0)) }
            try await fail(file, error)
            ended()
        }
    }

    /// Scans an image, and writes the file's outputs if it was the last one.
    /// - Returns: the catalogues that were written; nil if there are none.
    private func finish(
        _ image: ImageExtension, of scan: FileScan, _ survey: FITSSurvey, _ ticket: ImageQueue.Ticket
    ) async throws -> [CatalogueOutput]? {
        defer { queue.leave(ticket) }
        let isLast: Bool
        do {
            let found = try await self.scan(image, of: scan, survey, ticket)
            isLast = scan.finish(image, found)
        } catch {
            if endsJob(error) {
                await endSole(scan.file, error)
                throw error
            }
            let reason = Self.reason(error, image, of: scan.file)
            pages?.fail(image, of: scan.file, reason)
            isLast = scan.fail(image, reason)
        }
        if sole == nil { events.display.handle(.imageEnded) }
        guard isLast else { return nil }
        defer { scan.ended() }
        var catalogues: [CatalogueOutput]?
        do {
            if scan.images.isEmpty {
                throw CommandError(.input, scan.failures.first ?? "\(scan.file.name): cannot be scanned")
            }
            let written = try await write(scan)
            events.display.handle(.fileEnded(file: scan.file.name, outputs: written.names, errors: scan.failures))
            if sole == nil { events.say(JobReport.line(of: scan, outputs: written.names)) }
            if let only = scan.images.first { await pages?.endSole(only) }
            catalogues = written.catalogues
        } catch {
            try await fail(scan.file, error)
        }
        if options.images.failsFast, let reason = scan.failures.first { throw CommandError(.input, reason) }
        return catalogues
    }

    /// The sole image cannot be scanned: programs are told as of one of many.
    private func endSole(_ file: InputList.File, _ error: any Error) async {
        let error = CommandError(error, in: "scan")
        guard sole != nil, error.code == .input else { return }
        report.fail(file, error.description)
        do {
            try await record(failureOf: file, error.description)
        } catch {
            events.say("\(error)")
        }
        events.display.handle(.fileEnded(file: file.name, outputs: [], errors: [error.description]))
    }

    /// Why an image cannot be scanned, with its name.
    private static func reason(
        _ error: any Error, _ image: ImageExtension, of file: InputList.File
    ) -> String {
        let words = CommandError(error, in: "scan").description
        if words.contains(file.path) { return words }
        return "\(InputList.File(path: file.path, selector: image.selector, node: file.node).name): \(words)"
    }

    func nodeFiles(of file: InputList.File) -> NodeFiles? {
        file.node == nil ? nil : NodeFiles(of: file.nodes, among: node.systems)
    }

    /// Whether an error is none of one image among others, but ends the job.
    private func endsJob(_ error: any Error) -> Bool { sole != nil || command.endsJob(error) }

    /// A file cannot be scanned, or its catalogue cannot be written.
    private func fail(_ file: InputList.File, _ error: any Error) async throws {
        if endsJob(error) {
            await endSole(file, error)
            throw error
        }
        let reason = CommandError(error, in: "scan").description
        pages?.fail(nil, of: file, reason)
        try await record(failureOf: file, reason)
        if options.images.failsFast { throw error }
        report.fail(file, reason)
        events.display.handle(.fileEnded(file: file.name, outputs: [], errors: [reason]))
        events.warn(StyledText(reason))
    }
}

extension ScanCommand {
    /// Whether an error is none of one image, but ends the job.
    func endsJob(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError: true
        case let error as ScanError: [.cancelled, .noSystem].contains(error.code)
        case let error as ConnectError: error.code == .authentication
        case is JournalError: true
        case let error as OutputError: [.noSpace, .brokenPipe].contains(error.code)
        default: false
        }
    }
}
