import CommandLineKit
import Console
import Foundation
import ScanBasics
import ScanCluster
import ScanFarm
import SkyExtraction
import SkyFITS
import SkyReport
import SkyScan

/// The pages of a job of many images: a folder, the live page, or both.
package final class NightPages: Sendable {
    let recorder: NightRecorder
    private let command: ScanCommand
    /// Nil without `--report`.
    private let folder: NightFolder?
    private let names: Locked<PageNames>
    /// Nil without `--dashboard`.
    private let store: PageStore?
    /// The live pages of images that are being scanned, by their names.
    private let running = Locked<[String: ScanDashboardSource]>([:])

    /// Longest side of a thumbnail and of the image of a page, in pixels, and most sources of a page: a page has at most
    /// about 2 MB, so that those of thousands of images fit on a disk.
    static let (thumbnailSide, imageSide, sourceLimit) = (160, 800, 10_000)

    /// The pages that the command asks for; nil if it asks for none. `files`: those of the job, or those of the folders that
    /// it watches will become known. `replaces`: pages that exist are those of an earlier run of the job.
    /// - Throws: ``OutputError`` if the folder cannot be used.
    init?(
        _ command: ScanCommand, _ files: [InputList.File] = [], watching folders: [String] = [], replaces: Bool
    ) throws(OutputError) {
        let options = command.options
        guard options.page.folder != nil || options.dashboard != nil else { return nil }
        self.command = command
        recorder = NightRecorder(isEndless: !folders.isEmpty)
        names = Locked(PageNames(watching: folders))
        store = options.dashboard == nil ? nil : try PageStore()
        if let path = options.page.folder {
            folder = try NightFolder(path, overwrite: options.overwrite || replaces)
        } else {
            folder = nil
        }
        recorder.update { night in for file in files { night.add(file: file.name) } }
    }

    /// The facts of the job.
    var facts: NightUpdate.Facts {
        NightUpdate.Facts(
            software: Software.name, began: recorder.began.formatted(.iso8601),
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

    /// The images of a file are known.
    func know(_ images: [ImageExtension], of file: InputList.File) {
        recorder.update { $0.know(images.map { ($0.number, $0.name, $0.plane) }, of: file.name) }
    }

    /// The scan of the image of `reader` begins.
    /// - Returns: what records it.
    func begin(_ image: ImageExtension, _ reader: ImageReader, of file: InputList.File) -> ScanRecorder {
        let scan = ScanRecorder()
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

    private func name(_ image: ImageExtension, of file: InputList.File) -> String {
        names.withLock { $0.name(file.path, hdu: image.number, plane: image.plane) }
    }

    /// The live page of an image ends: its own page takes its place, or there is none.
    private func close(_ image: ImageExtension, of file: InputList.File) {
        if store != nil { running.withLock { [name = name(image, of: file)] in $0[name] = nil } }
    }

    /// An image was scanned: writes its page.
    /// - Returns: what to warn of; nil if all went well.
    /// - Throws: ``OutputError`` if the disk is full, `CancellationError`.
    func finish(
        _ place: ImageExtension, _ image: FileScan.Image, of file: InputList.File, _ reader: ImageReader,
        _ parameters: ScanParameters, _ scan: ScanRecorder, _ node: ScanNode
    ) async throws -> String? {
        scan.finish()
        let (summary, result) = (image.summary, image.result)
        let finding = NightImage.Finding(
            width: summary.width, height: summary.height, sources: result.sources.count,
            missing: result.missing.count, seconds: scan.timeline.end ?? 0,
            quality: ImageQuality(
                image.table, header: summary.header, width: summary.width, height: summary.height,
                background: Double(result.globalLevel), noise: Double(result.globalNoise), parameters: parameters))
        let name = name(place, of: file)
        defer { close(place, of: file) }
        var warning: String?
        do {
            try await write(image, name, reader, scan, node)
        } catch {
            if command.endsJob(error) { throw error }
            warning = "\(image.name): no page: \(error)"
        }
        let page = warning == nil ? name : nil
        recorder.update { night in
            night.finish(place.number, plane: place.plane, of: file.name, finding, page: page)
        }
        return warning
    }

    /// Writes the page of an image into the folder and for the live index.
    private func write(
        _ image: FileScan.Image, _ name: String, _ reader: ImageReader, _ scan: ScanRecorder, _ node: ScanNode
    ) async throws {
        let preview = try await command.preview(reader, side: Self.imageSide)
        let thumbnail = try preview.thumbnail(limit: Self.thumbnailSide).png()
        let account = await command.account(scan, reader, node, isOnly: false)
        let snapshot = snapshot(of: image, preview, scan, account)
        if let folder {
            try folder.write(
                name, page: try ScanPage.report(snapshot, preview: preview, index: "index.html"), thumbnail: thumbnail)
        }
        guard let store else { return }
        let dropped = try store.add(
            name,
            [
                (.page, ScanPage.served(snapshot, picture: "../pictures/" + Self.inPath(name))),
                (.picture, try preview.png()),
                (.thumbnail, thumbnail),
            ])
        if dropped.isEmpty || folder != nil { return }
        recorder.update { night in for page in dropped { night.dropPage(page) } }
    }

    private func snapshot(
        of image: FileScan.Image, _ preview: Preview, _ scan: ScanRecorder, _ account: ScanAccount
    ) -> LiveUpdate {
        var (live, time) = scan.read()
        live.preview = preview.scale
        let found = ScanReport.found(image.result, pixels: image.summary.area)
        live.end(
            image.result.missing.isEmpty ? .complete : .partial,
            "\(found) in \(HumanFormat.duration(seconds: live.timeline.end ?? time))",
            catalogue: command.summary(image.result, image.table, limit: Self.sourceLimit), speedUp: account.speedUp,
            at: time)
        return live.snapshot(of: command.pageFacts(image.summary, scan), at: time)
    }

    /// An image, or with nil every image of a file, could not be scanned or its catalogue could not be written.
    func fail(_ image: ImageExtension?, of file: InputList.File, _ reason: String) {
        if let image { close(image, of: file) }
        recorder.update { night in
            if let image {
                night.fail(image.number, plane: image.plane, of: file.name, reason)
            } else {
                night.fail(file: file.name, reason)
            }
        }
    }

    /// Serves the live page during a job, if `--dashboard` is given, and writes the index at its end.
    ///
    /// - Parameters:
    ///   - node: runs the job.
    ///   - display: gets the link of the live page.
    ///   - conclusion: sums the job up, which took that many seconds.
    ///   - work: the job.
    /// - Throws: what the job throws; ``OutputError`` if the index cannot be written, `CommandError` if the address cannot
    ///   be listened on.
    func follow(
        _ node: ScanNode, _ display: ProgressDisplay, _ conclusion: @Sendable (Double) -> String,
        _ work: () async throws -> Void
    ) async throws {
        let options = command.options
        let systems = node.systems
        let server = try options.dashboard.map { address in
            let source = NightDashboardSource(self) { !systems.snapshot.isEmpty }
            return try DashboardOption.serve(source, at: address) {
                display.message(DashboardOption.level(options.common), StyledText($0))
            }
        }
        do {
            try await work()
        } catch {
            let reason = error is CancellationError ? "stopped" : CommandError(error, in: "scan").description
            recorder.update { $0.end("\(reason); \(conclusion(recorder.elapsed))") }
            // The error that ended the job is the one to report.
            try? writeIndex()
            await server?.close(within: 1)
            throw error
        }
        recorder.update { $0.end(conclusion(recorder.elapsed)) }
        try writeIndex()
        await server?.close()
    }

    private func writeIndex() throws(OutputError) {
        guard let folder else { return }
        let (night, time) = recorder.read()
        try folder.write(index: NightPage.report(night.snapshot(of: facts, at: time)))
    }
}
