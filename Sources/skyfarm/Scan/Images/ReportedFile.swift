import ScanNetwork
import SkyScan

/// What became of a file of a job, as `--json` shows it and the journal keeps it.
struct ReportedFile: Codable, Equatable, Sendable {
    var file: String
    var images: [Image] = []
    var outputs: [String] = []
    /// Why images, or the whole file, could not be scanned; omitted if there is none.
    var errors: [String]?

    /// An image that was scanned.
    struct Image: Codable, Equatable, Sendable {
        var image: String
        var hdu: Int
        /// Omitted if the HDU is one image.
        var plane: Int?
        var extname: String?
        var width: Int
        var height: Int
        var sources: Int
        var background: Double
        var noise: Double
        var maskedPixels: Int
        var missing: Int
    }
}

extension ReportedFile {
    /// A file whose catalogues are written.
    init(_ scan: FileScan, outputs: [String]) {
        file = scan.file.name
        images = scan.images.map { image in
            Image(
                image: image.name, hdu: image.summary.hdu, plane: image.summary.plane, extname: image.extensionName,
                width: image.summary.width, height: image.summary.height, sources: image.result.sources.count,
                background: Double(image.result.globalLevel), noise: Double(image.result.globalNoise),
                maskedPixels: image.result.maskedPixels, missing: image.result.missing.count)
        }
        self.outputs = outputs
        let failures = scan.failures
        errors = failures.isEmpty ? nil : failures
    }

    /// The file as the journal keeps it.
    func coded() throws -> [UInt8] { try WireEncoder().encode(self) }

    /// Why images, or the whole file, could not be scanned, and what is missing, a line each.
    var failures: [String] {
        let lost = images.reduce(0) { $0 + $1.missing }
        return (errors ?? []) + (lost == 0 ? [] : ["\(file): \(HumanFormat.count(lost, "sector")) missing"])
    }

    /// Whether its catalogues are written and lack nothing.
    var isComplete: Bool { !outputs.isEmpty && errors == nil && images.allSatisfy { $0.missing == 0 } }
}

/// The files of a job in the order of their ends, with totals. Only the newest are kept, so that a watch of folders takes
/// no more memory with each file.
struct ReportedFiles: Sendable {
    /// Files of a watch that are kept.
    static let watchLimit = 1000

    private let limit: Int
    /// At most twice the limit, so that removing the oldest costs little.
    private var kept: [ReportedFile] = []
    /// Number of all files.
    private(set) var count = 0
    /// Number of files whose catalogues are written.
    private(set) var written = 0
    /// Of these, files that lack nothing.
    private(set) var done = 0
    private(set) var images = 0
    private(set) var sources = 0
    private(set) var pixels = 0

    /// No file; the newest `limit` will be kept.
    init(limit: Int) { self.limit = limit }

    /// The newest files, at most as many as the limit.
    var newest: ArraySlice<ReportedFile> { kept.suffix(limit) }

    mutating func append(_ file: ReportedFile) {
        count += 1
        if !file.outputs.isEmpty { written += 1 }
        if file.isComplete { done += 1 }
        images += file.images.count
        for image in file.images {
            sources += image.sources
            pixels += image.width * image.height
        }
        kept.append(file)
        if kept.count / 2 >= limit { kept.removeFirst(kept.count - limit) }
    }
}
