import Console
import ScanNetwork
import SkyScan

/// What became of a file of a job, as `--json` shows it and the journal keeps it.
package struct ReportedFile: Codable, Equatable, Sendable {
    package var file: String
    package var images: [Image] = []
    package var outputs: [String] = []
    /// Why images, or the whole file, could not be scanned; omitted if there is none.
    package var errors: [String]?

    /// An image that was scanned.
    package struct Image: Codable, Equatable, Sendable {
        package var image: String
        package var hdu: Int
        /// Omitted if the HDU is one image.
        package var plane: Int?
        package var extname: String?
        package var width: Int
        package var height: Int
        package var sources: Int
        package var background: Double
        package var noise: Double
        package var maskedPixels: Int
        package var missing: Int

    }
}

extension ReportedFile {
    /// A file whose catalogues are written.
    package init(_ scan: FileScan, outputs: [String]) {
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
    package var failures: [String] {
        let lost = images.reduce(0) { $0 + $1.missing }
        return (errors ?? []) + (lost == 0 ? [] : ["\(file): \(HumanFormat.count(lost, "sector")) missing"])
    }

    /// Whether its catalogues are written and lack nothing.
    package var isComplete: Bool { !outputs.isEmpty && errors == nil && images.allSatisfy { $0.missing == 0 } }
}

/// The files of a job in the order of their ends, with totals. Only the newest are kept, so that a watch of folders takes
/// no more memory with each file.
package struct ReportedFiles: Sendable {
    /// Files of a watch that are kept.
    static let watchLimit = 1000

    private let limit: Int
    /// At most twice the limit, so that removing the oldest costs little.
    private var kept: [ReportedFile] = []
    /// Number of all files.
    package private(set) var count = 0
    /// Number of files whose catalogues are written.
    package private(set) var written = 0
    /// Of these, files that lack nothing.
    package private(set) var done = 0
    package private(set) var images = 0
    package private(set) var sources = 0
    package private(set) var pixels = 0

    /// No file; the newest `limit` will be kept.
    package init(limit: Int) { self.limit = limit }

    /// The newest files, at most as many as the limit.
    package var newest: ArraySlice<ReportedFile> { kept.suffix(limit) }

    package mutating func append(_ file: ReportedFile) {
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
