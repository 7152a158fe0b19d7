import CommandLineKit
import Console
import Foundation
import ScanCluster
import SkyExtraction
package import SkyFITS
package import SkyScan

/// The scan of one image of a job.
extension ScanJob {
    /// Scans an image, and makes the tables and pages of it that are written with its file.
    func scan(
        _ image: ImageExtension, of fileScan: FileScan, _ survey: FITSSurvey, _ ticket: ImageQueue.Ticket
    ) async throws -> FileScan.Image {
        let (file, place) = (fileScan.file, fileScan.place(of: image))
        let reader = try await reader(image, of: file, survey, place: place)
        masters?.need(reader)
        if options.cluster.slotsHere == 0 { await masters?.settle() }
        let location = reader.summary.name
        fileScan.know(image, reader.summary.header)
        let parameters = try sole?.image.parameters ?? command.parameters(for: reader.summary, in: survey)
        let warnings = warn(of: reader.summary)
        let detected = try await detections(place)
        let recorder = pages?.begin(image, reader, of: file) ?? sole?.image.recorder
        let checksums = sole?.checksums ?? Task { try await command.checksums(of: reader, node, patience: patience) }
        defer {
            checksums.cancel()
            events.ended(image: location)
        }
        try await journal?.sole?.begin { try await checksums.value }
        let scan = try self.scan(of: reader, parameters, journal: try tasks(of: reader, in: fileScan)) { event in
            queue.handle(event, of: ticket)
            if sole == nil { recorder?.handle(event) }
            pages?.record(event)
            if sole == nil { events.handle(event, of: location) } else { events.handle(event) }
        }
        queue.know(cost: scan.expectedCost)
        if isMostlyLocal, sole == nil { scan.readAhead() }
        events.display.handle(.began(pixels: reader.summary.area, work: scan.expectedCost))
        var (result, sums) = try await command.unchanged(reader, node) {
            do {
                let result =
                    if let detected { try await scan.measure(detected.detections) } else { try await scan.run() }
                return (result, try await checksums.value)
            } catch let error as ScanSetupError {
                throw CommandError(.input, "\(location): \(error)")
            }
        }
        recorder?.finish()
        result.findTrails(in: reader.summary, removes: options.trails?.removes ?? false)
        let table = result.table(
            image: reader.summary, parameters: parameters, checksums: sums, software: Software.name)
        var found = FileScan.Image(
            name: location, extensionName: image.name, summary: reader.summary, states: reader.states,
            parameters: parameters, result: result, table: table, catalogue: table,
            checked: checked(result, reader, parameters, of: image, detection: detected?.scan),
            warnings: warnings + warn(ofPrecision: result, reader.summary))
        if sole == nil {
            found.table.image = image
            if survey.images.count > 1 { found.table.source = image }
        }
        if let sole {
            events.report(differentNodes: result.differentNodes.keys.sorted())
            found.account = await command.account(sole.image.recorder, reader, node, isOnly: true)
        }
        recorder?.begin(chore: "writing the catalogue")
        found.catalogue = try command.catalogue(
            found.table, result, reader.summary, parameters, number: place, checksums: sums)
        try await pages?.finish(image, &found, of: fileScan, reader, recorder, self)
        return found
    }

    /// The scan of an image. Of a sole one the bands fit the cluster; of others they must not depend on it, but on what
    /// else the queue has.
    private func scan(
        of reader: ImageReader, _ parameters: ScanParameters, journal: ScanJournal?,
        observer: @escaping @Sendable (SkyScanEvent) -> Void
    ) throws -> SkyScan {
        let (width, height) = (reader.summary.width, reader.summary.height)
        let slots: (@Sendable () -> Int)? =
            sole == nil ? nil : { @Sendable [node] in node.systems.usefulSlots(bytesPerCost: reader.sentBytesPerCost) }
        do {
            return try SkyScan(
                reader: reader, parameters: parameters,
                bandRows: options.bandRows ?? (sole == nil ? queue.bandRows(width: width, height: height) : nil),
                slots: slots, positions: try options.forced?.placed(in: reader.summary), coordinator: node.coordinator,
                job: UInt64.random(in: .min ... .max), journal: journal, observer: observer,
                differentNodes: { [node] in node.connections.differentNodes })
        } catch let error as ScanSetupError {
            throw CommandError(.input, "\(reader.summary.name): \(error)")
        }
    }

    private var patience: Duration { sole?.patience ?? .zero }

    /// Warns of what a user should know about an image. Files of a night say the same: it is said of the first one.
    /// - Returns: the warnings, a line each.
    private func warn(of image: ImageSummary) -> [String] {
        let warnings = command.warnings(of: image)
        func isNew(_ text: String) -> Bool { warned.withLock { $0.insert(text).inserted } }
        // A sole image's warnings were written before the first node joined.
        for warning in warnings
        where sole == nil && isNew(warning.replacing("\(image.name): ", with: "", maxReplacements: 1)) {
            events.warn(StyledText(warning))
        }
        if let problem = image.coordinatesProblem, isNew(problem) {
            events.fail("\(name: image.name): no ra and dec in the catalogue: \(problem)")
        }
        return warnings
    }

    private func warn(ofPrecision result: SkyScanResult, _ image: ImageSummary) -> [String] {
        guard let problem = result.precisionProblem(of: image) else { return [] }
        events.warn("\(name: image.name): \(problem)")
        return [problem]
    }

    /// The data from which a scan's check images are made; nil if none are written.
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

    package func reader(
        _ image: ImageExtension, of file: InputList.File, _ survey: FITSSurvey, place: Int,
        isDetection: Bool = false
    ) async throws -> ImageReader {
        if let sole, !isDetection {
            sole.image.reader.expect(copies, of: file.path, on: node)
            return sole.image.reader
        }
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
            .init(
                surveys: false, head: try command.head(of: file.path, number: place), layout: survey.layout,
                calibration: command.calibration(of: image, in: survey, isSelected: file.selector != nil)))
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
}
