import CommandLineKit
import Console
import Foundation
import ScanBasics
import ScanCluster
import ScanDashboard
import ScanFarm
import SkyExtraction
import SkyFITS
import SkyReport
import SkyScan
import SkyTrails

/// The pages of a job: a page or picture of each image, a folder with an index, the live page, or several of these.
///
/// The live page of a sole image is its own; that of many images is an index with a page for each.
package final class JobPages: Sendable {
    let recorder: IndexRecorder
    let command: ScanCommand
    private let outputs: OutputPlans
    /// The folder of `--report FOLDER/`; nil without it.
    private let folder: PageFolder?
    private let names: Locked<PageNames>
    /// The pages that the dashboard shows; nil without `--dashboard`, and for a sole image.
    private let store: PageStore?
    /// The image of a job of one; nil for many images.
    private let sole: SoleImage?
    /// The live page of the sole image; nil without `--dashboard`.
    private let soleSource: ScanDashboardSource?
    /// The live pages of images that are being scanned, by their names.
    private let running = Locked<[String: ScanDashboardSource]>([:])
    /// The picture of the sole image, made while it is scanned.
    private let solePreview = Locked<Task<Preview, any Error>?>(nil)
    /// Serves the live page until the job's results are written.
    let server = Locked<DashboardServer?>(nil)

    /// Longest side of a thumbnail, of the image of a page in a folder, and of one that is alone, in pixels. A page in a
    /// folder has at most so many sources, and about 2 MB, so that those of thousands of images fit on a disk.
    static let (thumbnailSide, imageSide, wholeSide, sourceLimit) = (160, 800, 1600, 10_000)

    /// The pages that the command asks for; nil if it asks for none. `files`: those of the job, or those of the folders that
    /// it watches will become known. `replaces`: pages that exist are those of an earlier run of the job.
    /// - Throws: ``OutputError`` if the folder cannot be used.
    init?(
        _ command: ScanCommand, _ files: [InputList.File] = [], _ outputs: OutputPlans, watching folders: [String] = [],
        replaces: Bool, sole: SoleImage? = nil
    ) throws(OutputError) {
        let options = command.options
        guard options.page.folder != nil || options.dashboard != nil || !options.page.paths.isEmpty else { return nil }
        (self.command, self.outputs, self.sole) = (command, outputs, sole)
        recorder = IndexRecorder(isEndless: !folders.isEmpty)
        names = Locked(PageNames(watching: folders))
        store = options.dashboard == nil || sole != nil ? nil : try PageStore()
        soleSource = options.dashboard.flatMap { _ in
            sole.map { ScanDashboardSource(command.pageFacts($0.reader.summary, $0.recorder), $0.recorder) }
        }
        if let path = options.page.folder {
            folder = try PageFolder(path, overwrite: options.overwrite || replaces)
        } else {
            folder = nil
        }
        recorder.update { index in for file in files { index.add(file: file.name) } }
    }

    /// Whether pages of images are linked from the live page.
    var hasLinks: Bool { sole == nil }

    /// The file with the content of the live page; nil if there is none.
    var file: String? {
        if let folder { return folder.path + "index.html" }
        return sole.flatMap { outputs.reports.names(of: $0.image, among: [$0.image], of: soleFile).first }
    }

    /// The facts of the job.
    var facts: IndexUpdate.Facts {
        IndexUpdate.Facts(
            software: Software.name, began: recorder.began.withMilliseconds,
            folder: quotedForShell(FileManager.default.currentDirectoryPath), command: command.options.page.command)
    }

    /// A part of the live page of an image; nil if there is none.
    func part(_ part: PageStore.Part, of page: String) -> [UInt8]? {
        guard let source = running.withLock({ $0[page] }) else { return store?.bytes(page, part) }
        switch part {
        case .page: return ScanPage.running(source.update(), name: Self.inPath(page))
        case .picture: return source.file(at: "/preview.png")?.bytes
        case .thumbnail: return nil
        }
    }

    /// The state of an image that is being scanned, for its live page; nil if it is not.
    func update(of page: String) -> [UInt8]? { running.withLock { $0[page] }?.snapshot() }

    /// A page's name as a part of an address.
    private static func inPath(_ page: String) -> String {
        page.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? page
    }

    /// A file has arrived.
    func add(_ file: InputList.File) { recorder.update { $0.add(file: file.name) } }

    /// The catalogues of a file were there before.
    func keep(_ file: InputList.File) { recorder.update { $0.keep(file: file.name) } }

    /// A file is left out, for this reason.
    func leaveOut(_ file: InputList.File, _ reason: String) {
        recorder.update { $0.leaveOut(file: file.name, reason) }
    }

    /// The images of a file are known.
    func know(_ images: [ImageExtension], of file: InputList.File) {
        recorder.update { $0.know(images.map { ($0.number, $0.name, $0.plane) }, of: file.name) }
    }

    /// Records an event of the job.
    func record(_ event: SkyScanEvent) { if sole == nil { recorder.handle(event) } }

    /// The scan of the image of `reader` begins.
    /// - Returns: what records it.
    func begin(_ image: ImageExtension, _ reader: ImageReader, of file: InputList.File) -> ScanRecorder {
        let scan = sole?.recorder ?? ScanRecorder()
        if let side = pictureSide {
            // The slot that scans the image as one task has its pixels in the processor's cache.
            reader.passPixels { [width = reader.summary.width, height = reader.summary.height] pixels in
                scan.preview.withLock { preview in
                    guard preview == nil else { return }
                    var builder = PreviewBuilder(width: width, height: height, limit: side)
                    builder.add(rows: pixels)
                    preview = builder.finish()
                }
            }
        }
        if sole != nil { return scan }
        var page: String?
        if store != nil {
            let name = name(image, of: file)
            let source = ScanDashboardSource(command.pageFacts(reader.summary, scan), scan)
            source.offer(warn: { scan.note($0) }) { [command] in try await command.livePreview(reader) }
            running.withLock { $0[name] = source }
            page = name
        }
        recorder.update { $0.begin(image.number, plane: image.plane, of: file.name, page: page) }
        return scan
    }

    /// Longest side of an image's picture; nil if there is none.
    private var pictureSide: Int? {
        if !command.options.page.paths.isEmpty { return Self.wholeSide }
        return folder != nil || store != nil ? Self.imageSide : nil
    }

    /// Begins the picture of the sole image, which the live page shows as well, unless the image's only task has its pixels.
    private func beginSole(_ sole: SoleImage, _ events: ScanEvents) {
        let reader = sole.reader
        let preview: Task<Preview, any Error>? =
            command.options.page.paths.isEmpty || sole.isOneTask
            ? nil : Task { [command] in try await command.preview(reader, side: Self.wholeSide) }
        solePreview.withLock { $0 = preview }
        soleSource?.offer(warn: { events.warn(StyledText($0)) }) { [command] in
            if let preview { return try await preview.value }
            return try await command.livePreview(reader)
        }
    }

    private func name(_ image: ImageExtension, of file: InputList.File) -> String {
        names.withLock { $0.name(file.path, hdu: image.number, plane: image.plane) }
    }

    /// The live page of an image ends: its own page takes its place, or there is none.
    private func close(_ image: ImageExtension, of file: InputList.File) {
        if store != nil { running.withLock { [name = name(image, of: file)] in $0[name] = nil } }
    }

    /// An image was scanned: makes its pages. Those of the folder and of the live index, and of an image of a file of
    /// several, are written at once; the others are written with the catalogues of the file.
    /// - Throws: ``OutputError`` if the disk is full, `CancellationError`; whatever goes wrong with a file that was asked for.
    func finish(
        _ place: ImageExtension, _ image: inout FileScan.Image, of scan: FileScan, _ reader: ImageReader,
        _ recorder: ScanRecorder?, _ job: ScanJob
    ) async throws {
        let (file, recorder) = (scan.file, recorder ?? ScanRecorder())
        let name = name(place, of: file)
        defer { close(place, of: file) }
        let (summary, result) = (image.summary, image.result)
        let quality = ImageQuality(
            image.table, header: summary.header, width: summary.width, height: summary.height,
            background: Double(result.globalLevel), noise: Double(result.globalNoise), parameters: image.parameters)
        image.quality = quality
        var page: String?
        do {
            let account =
                if let known = image.account { known } else {
                    await command.account(recorder, reader, job.node, isOnly: false)
                }
            let preview = try await preview(reader, recorder)
            if try await write(image, name, preview, recorder, account) { page = name }
            if let preview {
                let files = self.files(of: place, image, scan, preview, recorder, account)
                image.pageNames = files.map(\.path)
                if scan.wanted.count == 1 { image.pages = files } else { try await job.write(files, of: scan) }
            }
        } catch {
            if !command.options.page.paths.isEmpty || command.endsJob(error) { throw error }
            job.events.warn("\(name: image.name): no page: \("\(error)")")
        }
        if sole != nil { return }
        var finding = IndexedImage.Finding(
            width: summary.width, height: summary.height, sources: result.sources.count,
            missing: result.missing.count, seconds: recorder.timeline.end ?? 0, quality: quality)
        (finding.observation, finding.unit) = (Observation(summary.cards), summary.sampleUnit)
        self.recorder.update { [page, finding] index in
            index.finish(place.number, plane: place.plane, of: file.name, finding, page: page)
        }
    }

    /// The picture of an image for its pages; nil if it has none.
    private func preview(_ reader: ImageReader, _ recorder: ScanRecorder) async throws -> Preview? {
        if let preview = recorder.preview.withLock(\.self) { return preview }
        if let task = solePreview.withLock(\.self) { return try await task.value }
        guard let side = pictureSide else { return nil }
        return try await command.preview(reader, side: side)
    }

    /// The picture of a page in a folder.
    private static func shrunk(_ preview: Preview) -> Preview {
        max(preview.width, preview.height) > imageSide ? preview.thumbnail(limit: imageSide) : preview
    }

    /// Writes the page of an image into the folder and for the live index.
    /// - Returns: whether there is one.
    private func write(
        _ image: FileScan.Image, _ name: String, _ preview: Preview?, _ scan: ScanRecorder, _ account: ScanAccount
    ) async throws -> Bool {
        guard folder != nil || store != nil, let preview = preview.map(Self.shrunk) else { return false }
        let thumbnail = preview.thumbnail(limit: Self.thumbnailSide).png()
        let snapshot = snapshot(of: image, preview, scan, account, limit: Self.sourceLimit)
        if let folder {
            try folder.write(
                name, page: ScanPage.report(snapshot, preview: preview, index: "index.html"), thumbnail: thumbnail)
        }
        guard let store else { return true }
        let dropped = try store.add(
            name,
            [
                (.page, ScanPage.served(snapshot, picture: "../pictures/" + Self.inPath(name))),
                (.picture, preview.png()),
                (.thumbnail, thumbnail),
            ])
        if dropped.isEmpty || folder != nil { return true }
        recorder.update { index in for page in dropped { index.dropPage(page) } }
        return true
    }

    /// The page and the picture of an image that are files of their own.
    private func files(
        of place: ImageExtension, _ image: FileScan.Image, _ scan: FileScan, _ preview: Preview,
        _ recorder: ScanRecorder, _ account: ScanAccount
    ) -> [(path: String, bytes: [UInt8])] {
        let reports = outputs.reports.names(of: place, among: scan.wanted, of: scan.file).map { path in
            let snapshot = snapshot(of: image, preview, recorder, account, limit: SourcePack.limit)
            return (path: path, bytes: ScanPage.report(snapshot, preview: preview))
        }
        return reports
            + outputs.previews.names(of: place, among: scan.wanted, of: scan.file).map { path in
                (path: path, bytes: preview.png())
            }
    }

    private func snapshot(
        of image: FileScan.Image, _ preview: Preview, _ scan: ScanRecorder, _ account: ScanAccount, limit: Int
    ) -> LiveUpdate {
        var (live, time) = scan.read()
        live.preview = preview.scale
        end(&live, image, account, limit: limit, seconds: live.timeline.end ?? time, at: time)
        return live.snapshot(of: command.pageFacts(image.summary, scan), at: time)
    }

    /// Records the end of an image's scan in the state of its page, with the line that sums it up. `limit`: most sources;
    /// nil without the catalogue.
    private func end(
        _ live: inout LiveScan, _ image: FileScan.Image, _ account: ScanAccount?, limit: Int?, seconds: Double,
        at time: Double
    ) {
        let result = image.result
        let found = ReportedFile.Image(image).found(
            rows: "source", sectors: result.tally.tasks + result.missing.count)
        var words = "\(found) in \(HumanFormat.duration(seconds: seconds))"
        if sole != nil {
            let names = (soleNames + image.pageNames).map { $0 == "-" ? "standard output" : $0 }
            words += ", written to \(names.joined(separator: ", "))"
        }
        live.end(
            result.missing.isEmpty ? .complete : .partial, words,
            catalogue: limit.map { limit in
                CatalogueSummary(
                    image.table, missing: result.missing.map(\.line), limit: limit,
                    trails: (result.trails ?? []).map { [$0.x1, $0.y1, $0.x2, $0.y2] })
            }, quality: image.quality, speedUp: account?.speedUp, at: time)
    }

    /// The catalogues of the sole image.
    private var soleNames: [String] { outputs.catalogues.names(of: soleFile) }

    private var soleFile: InputList.File {
        InputList.File(path: sole.flatMap { try? ImageLocation($0.reader.summary.name).path } ?? "")
    }

    /// The outputs of the sole image are written.
    func endSole(_ image: FileScan.Image) async {
        guard let sole else { return }
        // The catalogue does not wait for the live page's image.
        await soleSource?.finishPreview()
        let limit = soleSource?.isWatched == true || isServedOn ? SourcePack.liveLimit : nil
        sole.recorder.update { live, time in
            end(&live, image, image.account, limit: limit, seconds: sole.recorder.elapsed, at: time)
        }
    }

    /// An image, or with nil every image of a file, could not be scanned or its catalogue could not be written.
    func fail(_ image: ImageExtension?, of file: InputList.File, _ reason: String) {
        if let image { close(image, of: file) }
        recorder.update { index in
            if let image {
                index.fail(image.number, plane: image.plane, of: file.name, reason)
            } else {
                index.fail(file: file.name, reason)
            }
        }
    }

    /// Serves the live page during a job, if `--dashboard` is given, and writes the index at its end.
    ///
    /// - Parameters:
    ///   - node: runs the job.
    ///   - events: get the link of the live page.
    ///   - conclusion: sums the job up, which took that many seconds.
    ///   - words: how an error that ends the job is reported.
    ///   - work: the job.
    /// - Throws: what the job throws; ``OutputError`` if the index cannot be written, `CommandError` if the address cannot
    ///   be listened on.
    func follow(
        _ node: ScanNode, _ events: ScanEvents, _ conclusion: @Sendable (Double) -> StyledText,
        _ words: (any Error) -> CommandError, _ work: () async throws -> Void
    ) async throws {
        let server = try serve(node, events.display)
        self.server.withLock { $0 = server }
        if let sole { beginSole(sole, events) }
        do {
            try await work()
        } catch {
            solePreview.withLock { $0?.cancel() }
            let end = words(error)
            sole?.recorder.update { live, time in live.end(.failed, end.description, at: time) }
            let reason = [.interrupted, .terminated].contains(end.code) ? "stopped" : end.description
            recorder.update { $0.end("\(reason); \(conclusion(recorder.elapsed).plain)") }
            // The error that ended the job is the one to report.
            try? writeIndex()
            throw error
        }
        recorder.update { $0.end(conclusion(recorder.elapsed).plain) }
        try writeIndex()
    }

    private func serve(_ node: ScanNode, _ display: ProgressDisplay) throws(CommandError) -> DashboardServer? {
        let options = command.options
        guard let address = options.dashboard else { return nil }
        let source: any DashboardSource =
            soleSource ?? IndexDashboardSource(self) { [systems = node.systems] in !systems.snapshot.isEmpty }
        return try DashboardOption.serve(source, at: address) {
            display.message(DashboardOption.level(options.common), StyledText($0))
        }
    }

    private func writeIndex() throws(OutputError) {
        guard let folder else { return }
        let (index, time) = recorder.read()
        try folder.write(index: IndexPage.report(index.snapshot(of: facts, at: time)))
    }
}
