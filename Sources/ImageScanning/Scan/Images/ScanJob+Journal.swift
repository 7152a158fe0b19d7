import CommandLineKit
package import Console
import Foundation
import ScanBasics
import SkyCatalogue
import SkyExtraction
import SkyFITS
package import SkyScan
import TaskJournal

extension ScanCommand {
    /// Opens the journal of a job, or creates it.
    /// - Parameters:
    ///   - names: the inputs.
    ///   - count: their number of files; nil if it is not known.
    ///   - sole: the image of a job of one, with the names of its outputs; nil for many images.
    /// - Returns: the journal; nil with `--no-journal`.
    /// - Throws: ``JournalError``; `CommandError` if the kernel cannot be read.
    func openJournal(
        _ names: [String], count: Int?, sole: (image: SoleImage, outputs: [String])? = nil
    ) async throws -> FilesJournal? {
        let notice = { @Sendable [log = options.log] (line: String) in log.write(.info, StyledText(line)) }
        guard let journal = options.journal, let folder = journal.folder(notice: notice) else { return nil }
        let outputs = options.outputs + options.page.all + [options.images.merged].compactMap(\.self)
        var record = JobRecord(
            identity: try sole?.image.identity ?? identity(of: names), words: journal.words,
            folder: FileManager.default.currentDirectoryPath, began: Date().timeIntervalSince1970,
            outputs: (sole?.outputs ?? outputs).map(Self.absolute),
            // Background and extraction of each band.
            tasks: sole.map { $0.image.isOneTask ? 1 : 2 * $0.image.plan.count })
        (record.files, record.submission) = (count ?? 0, SubmittedRun.current?.id)
        // A page is found by its scan's record.
        let isShort = sole?.image.isOneTask == true && options.page.paths.isEmpty
        return try await FilesJournal.open(
            record, in: folder, forgets: journal.forgets, forgetsFinished: options.overwrite && sole == nil,
            longestUnkept: isShort ? .seconds(1) : nil, notice: notice)
    }

    /// Unlike a scan of one image, the job includes its outputs: what it has written need not be written again.
    private func identity(of names: [String]) throws -> JobIdentity {
        let detection = options.detection
        var parameters = detection.parameters
        if let path = detection.kernel {
            parameters.kernel = try readText(path) { try ConvolutionKernel(parsing: $0) }
        }
        var settings = [
            "outputs": options.outputs.map(Self.absolute).joined(separator: ", "),
            "gain": "\(detection.gain)",
            "rows of a band": options.bandRows.map { "\($0)" } ?? "derived",
        ]
        settings["detection weight map"] = options.detectionMap.map { map in
            "\(map.noise) \(map.weightMap) \(map.rescalesWeights) \(map.weight.map(Self.absolute) ?? "")"
        }
        settings["detection image"] = options.detectionImage.map(Self.absolute)
        settings["pages"] = options.page.report.map(Self.absolute)
        settings["pictures"] = options.page.preview.map(Self.absolute)
        let checkImages = options.checkImages.map { "\($0.image.rawValue) \(Self.absolute($0.name))" }
        settings["check images"] = checkImages.isEmpty ? nil : checkImages.joined(separator: ", ")
        settings["trails"] = options.trails.map { trails in
            ([trails.removes ? "removed" : "flagged"] + trails.tables.map(Self.absolute)).joined(separator: ", ")
        }
        // The table of --merged is made of the catalogues: it makes no other job.
        settings["condition"] = options.images.condition?.text
        settings["files below folders"] = options.images.watches && options.images.isRecursive ? "yes" : nil
        settings["nothing left out"] = options.images.isStrict ? "yes" : nil
        if let columns = options.columns {
            settings["columns"] = String(reflecting: columns)
            parameters.measurements = columns.request
        }
        parameters.forced = options.forced?.request
        parameters.findsTrails = options.trails != nil
        settings["mask"] = detection.mask.map(Self.absolute)
        settings["weight map"] = detection.weight.map(Self.absolute)
        let skipped = options.images.skipped.joined(separator: ", ")
        settings["skipped extensions"] = skipped.isEmpty ? nil : skipped
        settings.merge(try options.calibration?.settings() ?? [:]) { $1 }
        settings["planes"] = options.images.planes == .colours ? nil : "\(options.images.planes)"
        return try JobIdentity(
            files: names, settings: settings, parameters: parameters, software: Software.name)
    }

    /// Records the end of a job. A failure is reported and does not affect the catalogues. A watch of folders is never
    /// finished: the same command goes on with it.
    package func finish(_ results: ScanJob.Results, _ log: Log) async {
        do {
            try await results.journal?.finish(results.report.end())
        } catch {
            log.write(.warning, "the end of the job is not in its journal: \("\(error)")")
        }
    }
}

extension ScanJob {
    /// The journal's record of a file; nil without a journal.
    package func stamps(of file: InputList.File) -> [FileStamp] {
        let detection = options.detection
        let names = [detection.mask, detection.weight, options.detectionImage, options.detectionMap?.weight]
        let maps = names.compactMap(\.self).compactMap { name in
            // A name that is wrong is reported when the map is opened; one of an extension is left to its image.
            (try? OutputTemplate(name).name(file: file.path)).flatMap { try? ImageLocation($0).path }
        }
        return ((file.node == nil ? [file.path] : []) + maps).compactMap { FileStamp($0) }
    }

    /// Writes the outputs of a file, and records them.
    ///
    /// Their names are recorded first: if the process is killed in between, the next run may replace them. Check images,
    /// then catalogues and pages get these names one right after the other, once they are complete.
    /// - Returns: the names, and the catalogues.
    func write(_ scan: FileScan) async throws -> (names: [String], catalogues: [CatalogueOutput]) {
        try scan.requireOneVersion()
        try Task.checkCancellation()
        let (images, tables) = (scan.images, scan.catalogues)
        let checked = images.compactMap(\.checked)
        let targets = results.outputs.checkImages.targets(checked, of: scan.file)
        let names = results.outputs.catalogues.names(tables, of: scan.file)
        let trails = scan.trails
        let trailNames = results.outputs.trails.names(trails, of: scan.file)
        let others = images.flatMap(\.pageNames) + targets.map(\.path) + trailNames
        let files = (names + others).filter { $0 != "-" }.map(ScanCommand.absolute)
        let replaceable = try await replaceable(of: scan.file)
        // Pages of a file of several images are written already.
        let rest =
            names.filter { $0 != "-" } + images.flatMap(\.pages).map(\.path) + targets.map(\.path)
            + trailNames
        try refuseForeign(rest.map(ScanCommand.absolute), replacing: replaceable)
        var entry = JournalledFile(
            name: recordName(of: scan.file), inputs: scan.stamps, catalogues: files.map { .init(path: $0) })
        try await journal?.write(entry)
        func overwrites(_ name: String) -> Bool {
            options.overwrite || replaceable.contains(ScanCommand.absolute(name))
        }
        try await CheckImagePlan.write(checked, to: targets, isOnly: scan.wanted.count == 1, overwrites: overwrites)
        _ = try results.outputs.trails.write(trails, of: scan.file, replacing: replaceable)
        let pages = try images.flatMap(\.pages).map { page in
            let file = try AtomicFile(path: page.path, overwrite: overwrites(page.path))
            try file.write(page.bytes)
            try file.finish()
            return file
        }
        try await sole?.image.reader.confirmUnchanged()
        // The catalogue may go to the terminal of the display.
        if names.contains("-") { events.display.finish() }
        let catalogues = try results.outputs.catalogues.write(
            tables, of: scan.file, replacing: replaceable,
            // A short scan of one image is repeated sooner than a folder is synced.
            syncsFolders: sole.map { $0.image.recorder.elapsed >= 1 } ?? true)
        for page in pages { try page.commit() }
        report.add(scan, outputs: names + others)
        if let sole { report.end(seconds: (ContinuousClock.now - sole.image.start) / .seconds(1)) }
        guard let journal else { return (names + others, catalogues) }
        entry.catalogues = files.map { .init(written: $0) }
        entry.isComplete =
            scan.failures.isEmpty
            && images.allSatisfy { $0.result.missing.isEmpty && $0.result.differentNodes.isEmpty }
        entry.report = try ReportedFile(scan, outputs: names + others).coded()
        do {
            try await journal.finish(entry)
        } catch let error as JournalError where sole != nil {
            // The catalogue is written, and nothing follows that needs the journal.
            events.say("\(error)")
        }
        return (names + others, catalogues)
    }

    /// The name by which the journal knows a file. That of a sole image does not depend on the folder of the command, as
    /// its journal does not.
    private func recordName(of file: InputList.File) -> String { sole?.image.identity.image ?? file.name }

    /// The outputs of a file that the job may replace, since it wrote them or was killed while it wrote them. Those of a
    /// sole image that is finished are kept: its outputs are not part of the job.
    private func replaceable(of file: InputList.File) async throws -> Set<String> {
        guard let journal, let known = try await journal.file(recordName(of: file)),
            sole == nil || !known.isComplete || !journal.isFinished
        else { return [] }
        return Set(known.replaceable)
    }

    /// Records that a file cannot be scanned.
    func record(failureOf file: InputList.File, _ reason: String) async throws {
        try await journal?.fail(
            recordName(of: file), report: try ReportedFile(file: file.name, errors: [reason]).coded())
    }

    /// Refuses names of files that the job did not write: they are not replaced, and must not become replaceable.
    private func refuseForeign(_ names: [String], replacing replaceable: Set<String>) throws(OutputError) {
        let others = names.filter { !options.overwrite && !replaceable.contains($0) }
        for name in others where ReadableFiles.current.exists(name) && !ProcessFiles.isOwn(name) {
            throw OutputError(.exists, "\(name): exists already; name another file, or add --overwrite")
        }
    }

    /// Writes the pages of an image of a file of several. They do not wait for the catalogues: a file may have hundreds.
    ///
    /// The names of all pages of the file are recorded before the first of them is written.
    func write(_ pages: [(path: String, bytes: [UInt8])], of scan: FileScan) async throws {
        let replaceable = try await scan.recorded { [self] in
            let known = try await journal?.file(scan.file.name)
            let replaceable = Set(known?.replaceable ?? [])
            let names = scan.wanted.flatMap { results.outputs.pageNames(of: $0, among: scan.wanted, of: scan.file) }
                .map(ScanCommand.absolute)
            try refuseForeign(names, replacing: replaceable)
            let others = (known?.catalogues ?? []).filter { !names.contains($0.path) }
            try await journal?.write(
                JournalledFile(
                    name: scan.file.name, inputs: scan.stamps, catalogues: others + names.map { .init(path: $0) }))
            return replaceable
        }
        for page in pages {
            let replaces = options.overwrite || replaceable.contains(ScanCommand.absolute(page.path))
            let file = try AtomicFile(path: page.path, overwrite: replaces)
            try file.write(page.bytes)
            try file.commit()
        }
    }

    /// The journal of the tasks of an image; nil if its one task ends with the catalogue of its file.
    package func tasks(of image: ImageReader, in scan: FileScan) throws -> ScanJournal? {
        if sole != nil { return journal?.sole }
        let isCut = image.summary.area > BandPlan.wholePixelCount || options.bandRows != nil
        guard isCut || scan.wanted.count > 1 else { return nil }
        let journal = try journal?.tasks(of: image.summary.name, in: scan.file.name, inputs: scan.stamps)
        journal?.checkInputs { try image.requireUnchanged() }
        return journal
    }

    /// Takes over the files that an earlier run has finished, by their names.
    /// - Returns: the other files.
    package func resume(_ files: [InputList.File], done: [String: JournalledFile]) throws -> [InputList.File] {
        try files.filter { file in
            guard let known = done[file.name] else { return true }
            let leftOut = try resume(file, known)
            let outputs = leftOut == nil ? known.catalogues.map(\.path) : []
            events.display.handle(.fileEnded(file: file.name, outputs: outputs, leftOut: leftOut?.reason))
            return false
        }
    }

    /// Takes over a file that an earlier run has finished or left out.
    /// - Returns: why that run has left it out; nil if it has not.
    @discardableResult
    func resume(_ file: InputList.File, _ known: JournalledFile) throws -> LeftOut? {
        let leftOut = try report.resume(known.report)
        if let leftOut {
            pages?.leaveOut(file, leftOut.reason)
        } else {
            pages?.keep(file)
        }
        return leftOut
    }
}
