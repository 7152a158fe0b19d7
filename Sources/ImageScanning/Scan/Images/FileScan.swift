import ScanCluster
import SkyCatalogue
import SkyExtraction
import SkyFITS
import SkyReport
import SkyScan

/// The images of a file that are being scanned, and what was found in them.
package final class FileScan: Sendable {
    /// An image that is done.
    package struct Image: Sendable {
        var name: String
        /// EXTNAME of its HDU.
        var extensionName: String?
        var summary: ImageSummary
        /// The state of its file before it was opened.
        var states: InputStates
        var parameters: ScanParameters
        var result: SkyScanResult
        /// With SEP's columns.
        var table: CatalogueTable
        /// With the columns that are written.
        var catalogue: CatalogueTable
        /// The data of the check images; nil if none are written.
        var checked: CheckedScan?
        /// The warnings about the image, one line each.
        var warnings: [String]
        /// Seeing, depth and the like; nil if it has no page.
        var quality: ImageQuality?
        /// The account of the cluster's work; nil for one of many images.
        var account: ScanAccount?
        /// Pages and pictures of this image alone that are written with the catalogues, by their names.
        var pages: [(path: String, bytes: [UInt8])] = []
        /// The names of all of them.
        var pageNames: [String] = []
    }

    private struct State {
        var images: [ImageExtension: Image] = [:]
        var failures: [ImageExtension: String] = [:]
        /// Headers of images that are not scanned yet.
        var headers: [ImageExtension: FITSHeader] = [:]
    }

    let file: InputList.File
    /// The images of the file, in the order of their HDUs and planes.
    private let known: [ImageExtension]
    /// The images that are scanned.
    let wanted: [ImageExtension]
    /// The files as they were before they were read.
    let stamps: [FileStamp]
    /// To be called when the last image is done.
    let ended: @Sendable () -> Void
    private let state = Locked(State())
    /// Records the names of the pages of the images, once.
    private let recording = Locked<Task<Set<String>, any Error>?>(nil)

    init(
        _ file: InputList.File, _ images: ChosenImages, stamps: [FileStamp],
        ended: @escaping @Sendable () -> Void
    ) {
        (self.file, known, wanted) = (file, images.known, images.images)
        (self.stamps, self.ended) = (stamps, ended)
    }

    /// The number of an image among those of the file, from 1.
    func place(of image: ImageExtension) -> Int { (known.firstIndex(of: image) ?? 0) + 1 }

    /// What `record` returns, which is called once.
    /// - Throws: what `record` throws.
    func recorded(by record: @escaping @Sendable () async throws -> Set<String>) async throws -> Set<String> {
        try await recording.withLock { task in
            let running = task ?? Task { try await record() }
            task = running
            return running
        }.value
    }

    /// Keeps the header of an image that may turn out to be one that cannot be scanned.
    func know(_ image: ImageExtension, _ header: FITSHeader) {
        state.withLock { $0.headers[image] = header }
    }

    /// An image is done.
    /// - Returns: whether it was the last one.
    func finish(_ image: ImageExtension, _ found: Image) -> Bool {
        state.withLock { state in
            state.images[image] = found
            return state.images.count + state.failures.count == wanted.count
        }
    }

    /// An image cannot be scanned.
    /// - Returns: whether it was the last one.
    func fail(_ image: ImageExtension, _ reason: String) -> Bool {
        state.withLock { state in
            state.failures[image] = reason
            return state.images.count + state.failures.count == wanted.count
        }
    }

    /// The images that are done, in the order of their HDUs.
    var images: [Image] { state.withLock { state in wanted.compactMap { state.images[$0] } } }

    /// The catalogues of the images in the order of their HDUs, with placeholders of those that could not be scanned.
    var catalogues: [CatalogueTable] {
        state.withLock { state in
            let some = state.images.values.first?.catalogue
            return wanted.compactMap { image in
                if let found = state.images[image] { return found.catalogue }
                return some?.placeholder(for: image, header: state.headers[image] ?? FITSHeader(cards: []))
            }
        }
    }

    /// The tables of the trails of the images that are done.
    var trails: [CatalogueTable] {
        images.filter { $0.result.trails != nil }.map { image in
            var table = image.result.trailTable(image: image.summary)
            (table.image, table.source) = (image.catalogue.image, image.catalogue.source)
            return table
        }
    }

    /// Checks that all images that are done are of one version of the file.
    /// - Throws: ``ImageError`` with `changed`.
    func requireOneVersion() throws {
        guard let first = images.first, images.contains(where: { $0.states.mayDiffer(from: first.states) }) else {
            return
        }
        throw ImageError(
            .changed, "\(file.name): was changed while its images were scanned; scan it again when it is complete")
    }

    /// Why images could not be scanned, in the order of their HDUs.
    var failures: [String] { state.withLock { state in wanted.compactMap { state.failures[$0] } } }
}
