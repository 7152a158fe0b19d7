import CommandLineKit
import Console
import Foundation
import ScanBasics
import ScanCluster
package import ScanFarm
import SkyExtraction
package import SkyFITS
package import SkyScan

/// The job of a scan of many images: one queue, on one node with its connections.
package struct ImagesJob: Sendable {
    /// Where the results of a job go.
    package struct Results: Sendable {
        package let outputs: OutputPlan
        let checkImages: CheckImagePlan
        /// The outputs that hold one of several images.
        package var claims = OutputClaims()
        /// Nil without `--detect`.
        let detections: SharedDetections?
        /// Nil without `--merged`.
        package var merged: MergedOutput?
        /// Nil: none is kept.
        package let journal: FilesJournal?
        package var report = ImagesReport()
        /// Nil without `--report` and `--dashboard`.
        package let pages: NightPages?
    }

    package let command: ScanCommand
    package let results: Results
    package let events: ScanEvents
    package let node: ScanNode
    private let queue: ImageQueue
    /// What was said about cards: files of a night say the same.
    private let warned = Locked<Set<String>>([])
    /// What nodes have of the files of this machine.
    package let copies: FileCopies

    package init(
        command: ScanCommand, node: ScanNode, events: ScanEvents, results: Results, copies: FileCopies
    ) {
        (self.command, self.node, self.events, self.results) = (command, node, events, results)
        self.copies = copies
        queue = ImageQueue(systems: node.systems)
    }

    package var options: ScanCommand.Options { command.options }
    package var report: ImagesReport { results.report }
    package var journal: FilesJournal? { results.journal }
    private var pages: NightPages? { results.pages }

    /// Scans the files in order. One that cannot be scanned is reported, and the others are scanned.
    /// - Throws: what ends the job: `CancellationError`, ``ScanError`` if there is no system, ``OutputError`` if the disk
    ///   is full; with `--fail-fast` the first error of a file.
    package func run(_ files: [InputList.File]) async throws {
        defer { events.report(differentNodes: node.connections.differentNodes.keys.sorted()) }
        queue.expect(images: files.count)
        try await withThrowingDiscardingTaskGroup { group in
            for file in files { try await start(file, in: &group) }
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
                    if let known = try await journal?.file(file.name), known.isDone {
                        try report.resume(known.report)
                        pages?.keep(file)
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
            let (survey, images) = try await survey(file, &stamps)
            try results.claims.claim(
                images, of: file, [results.outputs, results.checkImages.names])
            for fault in survey.faults { events.warn(StyledText(fault)) }
            if options.images.skipsExisting, try await isCurrent(file, images, survey) {
                try await skip(file, stamps)
                pages?.keep(file)
                queue.expect(images: -1)
                return ended()
            }
            events.display.handle(.fileBegan(images: images.count))
            pages?.know(images, of: file)
            queue.expect(images: images.count - 1)
            let scan = FileScan(file, images, stamps: stamps, ended: ended)
            for image in images {
                let ticket = try await queue.enter()
                group.addTask { try await finish(image, of: scan, survey, ticket) }
            }
        } catch {
            queue.expect(images: -1)
            events.display.handle(.fileBegan(images: 0))
            try fail(file, error)
            ended()
        }
    }

    /// The images of a file that are to be scanned. The stamp of a file on a node is added to `stamps`.
    func survey(
        _ file: InputList.File, _ stamps: inout [FileStamp]
    ) async throws -> (FITSSurvey, [ImageExtension]) {
        guard let files = nodeFiles(of: file) else { return try command.localImages(of: file) }
        var survey = FITSSurvey()
        let found = try await files.survey(file.path, selector: file.selector)
        (survey.images, survey.faults) = (found.images, found.faults)
        stamps.append(found.stamp)
        return (survey, try command.scanned(survey.images, of: file))
    }

    /// Scans an image, and writes the file's catalogues if it was the last one.
    private func finish(
        _ image: ImageExtension, of scan: FileScan, _ survey: FITSSurvey, _ ticket: ImageQueue.Ticket
    ) async throws {
        defer { queue.leave(ticket) }
        let isLast: Bool
        do {
            let found = try await self.scan(image, of: scan, survey, ticket)
            isLast = scan.finish(image, found)
        } catch {
            if command.endsJob(error) { throw error }
            let reason = Self.reason(error, image, of: scan.file)
            pages?.fail(image, of: scan.file, reason)
            isLast = scan.fail(image, reason)
        }
        events.display.handle(.imageEnded)
        guard isLast else { return }
        defer { scan.ended() }
        do {
            if scan.images.isEmpty {
                throw CommandError(.input, scan.failures.first ?? "\(scan.file.name): cannot be scanned")
            }
            let names = try await write(scan)
            events.display.handle(.fileEnded(file: scan.file.name, outputs: names, errors: scan.failures))
            events.say(ImagesReport.line(of: scan, outputs: names))
        } catch {
            try fail(scan.file, error)
        }
        if options.images.failsFast, let reason = scan.failures.first { throw CommandError(.input, reason) }
    }

    /// Why an image cannot be scanned, with its name.
    private static func reason(
        _ error: any Error, _ image: ImageExtension, of file: InputList.File
    ) -> String {
        let words = CommandError(error, in: "scan").description
        if words.contains(file.path) { return words }
        return "\(InputList.File(path: file.path, selector: image.selector, node: file.node).name): \(words)"
    }

    private func scan(
        _ image: ImageExtension, of fileScan: FileScan, _ survey: FITSSurvey, _ ticket: ImageQueue.Ticket
    ) async throws -> FileScan.Image {
        let file = fileScan.file
        let place = fileScan.place(of: image)
        let reader = try await reader(image, of: file, survey, place: place)
        let location = reader.summary.name
        fileScan.know(image, reader.summary.header)
        let parameters = try command.parameters(for: reader.summary, in: survey)
        for warning in command.cardWarnings(of: reader.summary) where warned.withLock({ $0.insert(warning).inserted }) {
            events.warn(StyledText("\(location): \(warning)"))
        }
        let detected = try await detections(place)
        let recorder = pages?.begin(image, reader, of: file)
        let checksums = Task { try await command.checksums(of: reader, node) }
        defer {
            checksums.cancel()
            events.ended(image: location)
        }
        let scan = try SkyScan(
            reader: reader, parameters: parameters,
            bandRows: options.bandRows ?? queue.bandRows(width: reader.summary.width, height: reader.summary.height),
            positions: try options.forced?.placed(in: reader.summary), coordinator: node.coordinator,
            job: UInt64.random(in: .min ... .max), journal: try tasks(of: reader, in: fileScan),
            observer: { event in
                queue.handle(event, of: ticket)
                recorder?.handle(event)
                pages?.recorder.handle(event)
                events.handle(event, of: location)
            },
            differentNodes: { node.connections.differentNodes })
        queue.know(cost: scan.expectedCost)
        if isMostlyLocal { scan.readAhead() }
        events.display.handle(.began(pixels: reader.summary.area, work: scan.expectedCost))
        let (result, sums) = try await command.unchanged(reader, node) {
            let result =
                if let detected { try await scan.measure(detected.detections) } else { try await scan.run() }
            return (result, try await checksums.value)
        }
        if let problem = result.precisionProblem(of: reader.summary) {
            events.warn(StyledText("\(location): \(problem)"))
        }
        var table = result.table(
            image: reader.summary, parameters: parameters, checksums: sums, software: Software.name)
        table.image = image
        if survey.images.count > 1 { table.source = image }
        let catalogue = try command.catalogue(
            table, result, reader.summary, parameters, number: place, checksums: sums)
        let found = FileScan.Image(
            name: location, extensionName: image.name, summary: reader.summary, states: reader.states,
            result: result, table: table, catalogue: catalogue,
            checked: checked(result, reader, parameters, of: image, detection: detected?.scan))
        if let pages, let recorder {
            let warning = try await pages.finish(image, found, of: file, reader, parameters, recorder, node)
            if let warning { events.warn(StyledText(warning)) }
        }
        return found
    }

    /// What the check images of a scan are made of; nil if there are none.
    private func checked(
        _ result: SkyScanResult, _ reader: ImageReader, _ parameters: ScanParameters,
        of image: ImageExtension,
        detection: CheckedScan?
    ) -> CheckedScan? {
        if options.checkImages.isEmpty { return nil }
        return CheckedScan(
            result: result, reader: reader, parameters: parameters,
            selected: options.columns.flatMap { result.selectedSources($0.settings, of: reader.summary) },
            source: image, detection: detection)
    }

    /// Whether this process has at least half of the slots.
    private var isMostlyLocal: Bool {
        let systems = node.systems.snapshot
        func slots(_ systems: some Sequence<SystemSnapshot>) -> Int { systems.reduce(0) { $0 + $1.slots } }
        return 2 * slots(systems.filter(\.isLocal)) >= max(1, slots(systems))
    }

    private func nodeFiles(of file: InputList.File) -> NodeFiles? {
        file.node == nil ? nil : NodeFiles(of: file.nodes, among: node.systems)
    }

    package func reader(
        _ image: ImageExtension, of file: InputList.File, _ survey: FITSSurvey, place: Int,
        isDetection: Bool = false
    ) async throws -> ImageReader {
        let detection = options.detection
        let weight = isDetection ? options.detectionMap?.weight : detection.weight
        let isOnly = survey.images.count == 1
        if let files = nodeFiles(of: file) {
            let name =
                isOnly
                ? file.name : InputList.File(path: file.path, selector: .number(image.number), node: file.node).name
            return try await files.reader(file.path, hdu: image.number, name: name, imageCount: survey.images.count)
        }
        let reader = try ImageReader(
            image: isOnly && file.selector == nil && image.plane == nil
                ? file.path : InputList.File(path: file.path, selector: image.selector).name,
            mask: try map(detection.mask, of: file, image, isOnly),
            weights: try map(weight, of: file, image, isOnly), slots: options.cluster.slotsHere,
            surveys: false, head: try command.head(of: file.path, number: place), layout: survey.layout)
        reader.expect(copies, of: file.path, on: node)
        return reader
    }

    /// The mask or weight map of an image: a template of its name, and the HDU of the image's number unless it names one.
    private func map(
        _ name: String?, of file: InputList.File, _ image: ImageExtension, _ isOnly: Bool
    ) throws -> String? {
        guard let name else { return nil }
        let path = try OutputTemplate(name, of: "--mask and --weight").name(file: file.path, image: image)
        let location = try ImageLocation(path)
        return isOnly || location.selector != .firstImage ? path : "\(path)[\(image.number)]"
    }

    /// A file cannot be scanned, or its catalogue cannot be written.
    private func fail(_ file: InputList.File, _ error: any Error) throws {
        if command.endsJob(error) { throw error }
        let reason = CommandError(error, in: "scan").description
        pages?.fail(nil, of: file, reason)
        journal?.release(file.name)
        if options.images.failsFast { throw error }
        report.fail(file, reason)
        events.display.handle(.fileEnded(file: file.name, outputs: [], errors: [reason]))
        events.warn(StyledText(reason))
    }
}

extension ScanCommand {
    /// The images of a file on this machine that are to be scanned.
    fileprivate func localImages(
        of file: InputList.File
    ) throws(ImageError) -> (FITSSurvey, [ImageExtension]) {
        let planes = file.selector?.plane.map { PlaneChoice.number($0) } ?? options.images.planes
        let survey = try FITSSurvey(of: file.path, planes: planes)
        var images = survey.images
        if let selector = file.selector {
            images.removeAll { !$0.matches(selector) }
            if let first = images.first {
                images.removeAll { $0.number != first.number }
            } else {
                // Opening it says which HDUs there are.
                let image = try FITSImage(ImageLocation(path: file.path, selector: selector))
                images = survey.images.filter { $0.number == image.hduNumber }
            }
        }
        return (survey, try scanned(images, of: file))
    }

    fileprivate func scanned(
        _ images: [ImageExtension], of file: InputList.File
    ) throws(ImageError) -> [ImageExtension] {
        let rest = images.filter { !options.images.skips($0) }
        if rest.isEmpty { throw ImageError(.noImage, "\(file.name): --skip-hdu leaves no image of the file") }
        return rest
    }

    /// The outputs of the images of `files` on this machine, by names that depend on the image.
    /// - Throws: `UsageError` if two images would have one output.
    func claimedOutputs(_ files: [InputList.File], _ plans: [OutputPlan]) throws(UsageError) -> OutputClaims {
        let claims = OutputClaims()
        guard plans.contains(where: \.mayBePerImage) else { return claims }
        for file in files where file.node == nil {
            // An error of a file is reported when it is scanned.
            guard let (_, images) = try? localImages(of: file) else { continue }
            try claims.claim(images, of: file, plans)
        }
        return claims
    }

    /// Whether an error is none of one image, but ends the job.
    func endsJob(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError: true
        case let error as ScanError: [.cancelled, .noSystem, .authentication].contains(error.code)
        case is JournalError: true
        case let error as OutputError: [.noSpace, .brokenPipe].contains(error.code)
        default: false
        }
    }
}
