import ScanCluster
import SkyImage
import SkyScan

/// The images of a file that are being scanned, and what was found in them.
final class FileScan: Sendable {
    /// An image that is done.
    struct Image: Sendable {
        var name: String
        /// EXTNAME of its HDU.
        var extensionName: String?
        var summary: ImageSummary
        /// The state of its file before it was opened.
        var states: InputStates
        var result: SkyScanResult
        /// With SEP's columns.
        var table: CatalogueTable
        /// With the columns that are written.
        var catalogue: CatalogueTable
        /// Nil unless check images are written.
        var checked: CheckedScan?
    }

    private struct State {
        var images: [Int: Image] = [:]
        var failures: [Int: String] = [:]
        /// What is known of images before they are scanned.
        var known: [Int: (image: CatalogueTable.Extension, header: FITSHeader)] = [:]
    }

    let file: InputList.File
    /// Numbers of the HDUs that are scanned.
    let hdus: [Int]
    /// The files as they were before they were read.
    let stamps: [FileStamp]
    /// To be called when the last image is done.
    let ended: @Sendable () -> Void
    private let state = Locked(State())

    init(_ file: InputList.File, hdus: [Int], stamps: [FileStamp], ended: @escaping @Sendable () -> Void) {
        (self.file, self.hdus, self.stamps, self.ended) = (file, hdus, stamps, ended)
    }

    /// The number of the image of HDU `number` among those of the file, from 1.
    func place(of number: Int) -> Int { (hdus.firstIndex(of: number) ?? 0) + 1 }

    /// Keeps the header of an image that may turn out to be one that cannot be scanned.
    func know(_ image: CatalogueTable.Extension, _ header: FITSHeader) {
        state.withLock { $0.known[image.number] = (image, header) }
    }

    /// The image of HDU `number` is done.
    /// - Returns: whether it was the last one.
    func finish(_ number: Int, _ image: Image) -> Bool {
        state.withLock { state in
            state.images[number] = image
            return state.images.count + state.failures.count == hdus.count
        }
    }

    /// The image of HDU `number` cannot be scanned.
    /// - Returns: whether it was the last one.
    func fail(_ number: Int, _ reason: String) -> Bool {
        state.withLock { state in
            state.failures[number] = reason
            return state.images.count + state.failures.count == hdus.count
        }
    }

    /// The images that are done, in the order of their HDUs.
    var images: [Image] { state.withLock { state in hdus.compactMap { state.images[$0] } } }

    /// The catalogues of the images in the order of their HDUs, with placeholders of those that could not be scanned.
    var catalogues: [CatalogueTable] {
        state.withLock { state in
            let some = state.images.values.first?.catalogue
            return hdus.compactMap { hdu in
                if let image = state.images[hdu] { return image.catalogue }
                let known =
                    state.known[hdu] ?? (CatalogueTable.Extension(number: hdu, name: nil), FITSHeader(cards: []))
                return some?.placeholder(for: known.image, header: known.header)
            }
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
    var failures: [String] { state.withLock { state in hdus.compactMap { state.failures[$0] } } }
}
