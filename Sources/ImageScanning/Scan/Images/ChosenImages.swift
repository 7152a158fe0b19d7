import CommandLineKit
import Console
import ScanCluster
import SkyFITS
import SkyScan

/// The images of a file, and which of them are scanned.
struct ChosenImages {
    var survey = FITSSurvey()
    /// The images that the file's name and `--skip-hdu` select: their order counts for masks, maps and headers beside it.
    var known: [ImageExtension] = []
    /// The known images whose headers meet the condition of `--where`.
    var images: [ImageExtension] = []
    /// Why the file is left out; nil if it is scanned.
    var leftOut: LeftOut?

    /// All of `known`.
    init(_ survey: FITSSurvey, _ known: [ImageExtension]) { (self.survey, self.known, images) = (survey, known, known) }

    /// Nothing of a file that is left out.
    init(_ leftOut: LeftOut) { self.leftOut = leftOut }

    /// Selects the images whose headers meet a condition. `headers`: those of an HDU, and of the primary HDU if it is
    /// another one.
    mutating func select(
        _ condition: HeaderCondition, of file: InputList.File, _ headers: (Int) -> (FITSHeader, primary: FITSHeader?)
    ) {
        var verdicts: [Int: HeaderCondition.Verdict] = [:]
        for image in known where verdicts[image.number] == nil {
            let (header, primary) = headers(image.number)
            verdicts[image.number] = condition.verdict(header: header, primary: primary)
        }
        images = known.filter { verdicts[$0.number]?.isTrue == true }
        guard images.isEmpty, let first = known.first else { return }
        let isDecided = verdicts.values.allSatisfy { $0.isTrue != nil }
        let others = verdicts.count == 1 ? "" : ", as its \(HumanFormat.count(verdicts.count - 1, "other image"))"
        leftOut = LeftOut(
            file: file.name, cause: isDecided ? .condition : .card,
            reason: (verdicts[first.number]?.reason ?? "") + others)
    }
}

extension ScanCommand {
    /// Returns the images of a file on this machine that are scanned. `isMeasured`: the condition of `--where` applies.
    /// - Throws: ``ImageError`` if the file cannot be read, or has no image that may be scanned.
    func choose(_ file: InputList.File, isMeasured: Bool = true) throws(ImageError) -> ChosenImages {
        do throws(ImageError) {
            let (survey, images) = try survey(of: file)
            var chosen = ChosenImages(survey, try scanned(images, of: file))
            if isMeasured { select(&chosen, of: file) }
            return chosen
        } catch {
            return ChosenImages(try leftOut(file, error))
        }
    }

    /// Applies the condition of `--where` to the headers that a survey has kept.
    func select(_ chosen: inout ChosenImages, of file: InputList.File) {
        guard let condition = options.images.condition else { return }
        let headers = chosen.survey.headers
        let none = FITSHeader(bytes: [])
        chosen.select(condition, of: file) { (headers[$0] ?? none, $0 > 0 ? headers[0] : nil) }
    }

    /// The file as one that is left out, if nothing is wrong with it but that it holds no image.
    /// - Throws: `error` otherwise.
    func leftOut(_ file: InputList.File, _ error: ImageError) throws(ImageError) -> LeftOut {
        guard error.code == .onlyOtherData, file.selector == nil, !options.images.isStrict else { throw error }
        return LeftOut(file: file.name, cause: .noImage, reason: error.message)
    }

    /// The images of a file on this machine that its name selects.
    func survey(of file: InputList.File) throws(ImageError) -> (survey: FITSSurvey, images: [ImageExtension]) {
        let planes = file.selector?.plane.map { PlaneChoice.number($0) } ?? options.images.planes
        let survey = try FITSSurvey(
            of: file.path, planes: planes, keepsHeaders: options.images.condition != nil)
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
        return (survey, images)
    }

    /// The images of a file that `--skip-hdu` does not leave out.
    func scanned(
        _ images: [ImageExtension], of file: InputList.File
    ) throws(ImageError) -> [ImageExtension] {
        let rest = images.filter { !options.images.skips($0) }
        if rest.isEmpty { throw ImageError(.noImage, "\(file.name): --skip-hdu leaves no image of the file") }
        return rest
    }

    /// Takes the names of the outputs of the images of `files` on this machine, as far as they depend on the image.
    /// - Throws: `UsageError` if two images would have one output.
    func claim(_ files: [InputList.File], _ outputs: OutputPlans) throws(UsageError) {
        guard outputs.mayBePerImage else { return }
        for file in files where file.node == nil {
            // An error of a file is reported when it is scanned.
            guard let chosen = try? choose(file) else { continue }
            try outputs.claim(chosen.images, of: file)
        }
    }

    /// The files of this machine among `files` that have an output already, and are left out: nothing of them is
    /// written.
    func leftOut(amongExisting files: [InputList.File], _ outputs: OutputPlans) -> Set<String> {
        guard !options.overwrite else { return [] }
        let names = files.filter { file in
            file.node == nil && outputs.names(of: file).contains { $0 != "-" && ReadableFiles.current.exists($0) }
                && (try? choose(file))?.leftOut != nil
        }.map(\.name)
        return Set(names)
    }
}

extension ScanJob {
    /// Returns the images of a file that are scanned. Adds the stamp of a file on a node to `stamps`.
    func choose(
        _ file: InputList.File, _ stamps: inout [FileStamp], isMeasured: Bool = true
    ) async throws -> ChosenImages {
        if let sole { return ChosenImages(sole.image.survey, [sole.image.image]) }
        guard let files = nodeFiles(of: file) else { return try command.choose(file, isMeasured: isMeasured) }
        let found: NodeFiles.File
        do {
            found = try await files.survey(file.path, selector: file.selector)
        } catch let error as ImageError {
            return ChosenImages(try command.leftOut(file, error))
        }
        var survey = FITSSurvey()
        (survey.images, survey.faults) = (found.images, found.faults)
        stamps.append(found.stamp)
        var chosen = ChosenImages(survey, try command.scanned(survey.images, of: file))
        guard isMeasured, let condition = options.images.condition else { return chosen }
        var headers: [Int: (FITSHeader, primary: FITSHeader?)] = [:]
        for image in chosen.known where headers[image.number] == nil {
            headers[image.number] = try await files.headers(file.path, hdu: image.number)
        }
        chosen.select(condition, of: file) { headers[$0] ?? (FITSHeader(bytes: []), nil) }
        return chosen
    }

    /// Leaves out a file in which nothing is to be scanned.
    func leaveOut(_ leftOut: LeftOut, _ file: InputList.File, _ stamps: [FileStamp]) async throws {
        queue.expect(images: -1)
        report.leaveOut(leftOut)
        pages?.leaveOut(file, leftOut.reason)
        events.display.handle(.fileBegan(images: 0))
        events.display.handle(.fileEnded(file: file.name, outputs: [], leftOut: leftOut.reason))
        // The user asked for the condition, which may leave out thousands of files.
        events.display.message(leftOut.cause == .noImage ? .info : .debug, StyledText(leftOut.line))
        guard let journal else { return }
        var reported = ReportedFile(file: file.name)
        reported.leftOut = leftOut
        // The job wrote these before the file changed, and may replace them if it changes again.
        let catalogues = try await journal.file(file.name)?.remaining ?? []
        let record = JournalledFile(
            name: file.name, inputs: stamps, catalogues: catalogues, isComplete: true, report: try reported.coded())
        let isFull = unwritten.withLock { records in
            records[record.name] = record
            return records.count >= Self.recordsAtOnce
        }
        if isFull { try await write(unwritten, to: journal) }
    }

    /// Records of files that are left out, written at once: thousands would wait for the disk as often. Those that a
    /// killed job has not written are decided again.
    private static let recordsAtOnce = 1000

    /// Writes the records of files that are left out.
    func writeLeftOut() async throws { if let journal { try await write(unwritten, to: journal) } }

    private func write(_ unwritten: Locked<[String: JournalledFile]>, to journal: FilesJournal) async throws {
        let records = unwritten.withLock { records in
            defer { records = [:] }
            return Array(records.values)
        }
        try await journal.write(records)
    }
}
