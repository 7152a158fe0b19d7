import Console
import ScanNetwork
import SkyScan

/// The outcome of a file of a job, as `--json` shows it and the journal keeps it.
package struct ReportedFile: Codable, Equatable, Sendable {
    package var file: String
    package var images: [Image] = []
    package var outputs: [String] = []
    /// Why images, or the whole file, could not be scanned; omitted if there is none.
    package var errors: [String]?
    /// Why the file was left out; nil if it was not.
    package var leftOut: LeftOut?

    /// An image that was scanned.
    package struct Image: Codable, Equatable, Sendable {
        package var image: String
        /// Number of the HDU; 0 is the primary one.
        package var hdu: Int
        /// Omitted if the HDU is one image.
        package var plane: Int?
        package var extname: String?
        package var width: Int
        package var height: Int
        package var sources: Int
        package var removedByCleaning: Int
        package var background: Double
        package var noise: Double
        package var maskedPixels: Int
        /// Electrons per unit of the samples, by which errors include photon noise; omitted if none.
        package var gain: Double?
        package var bands: Int
        /// Number of trails; omitted if none were looked for.
        package var trails: Int?
        /// Sectors that could not be scanned.
        package var missing: [Missing]
        /// Why the catalogue has no ra and dec although the header has a coordinate system.
        package var coordinatesProblem: String?
        /// The warnings that standard error shows.
        package var warnings: [String]
    }

    /// A sector that could not be scanned; pixels are counted from 0.
    package struct Missing: Codable, Equatable, Sendable {
        package var step: String
        /// First and last column.
        package var columns: [Int]
        /// First and last row.
        package var rows: [Int]
        package var reason: String
        /// Last lines of the node's log, each prefixed with the node's name.
        package var log: [String]?
    }
}

extension ReportedFile {
    /// A file whose catalogues are written.
    package init(_ scan: FileScan, outputs: [String]) {
        file = scan.file.name
        images = scan.images.map(Image.init)
        self.outputs = outputs
        let failures = scan.failures
        errors = failures.isEmpty ? nil : failures
    }

    /// The file as the journal keeps it.
    func coded() throws -> [UInt8] { try WireEncoder().encode(self) }

    /// Decodes a file that the journal kept.
    package init(coded: [UInt8]) throws { self = try WireDecoder().decode(ReportedFile.self, from: coded) }

    /// Why images, or the whole file, could not be scanned, and what is missing, a line each.
    package var failures: [String] {
        let lost = images.reduce(0) { $0 + $1.missing.count }
        return (errors ?? []) + (lost == 0 ? [] : ["\(file): \(HumanFormat.count(lost, "sector")) missing"])
    }

    /// Whether its catalogues are written and lack nothing.
    package var isComplete: Bool { !outputs.isEmpty && errors == nil && images.allSatisfy(\.missing.isEmpty) }
}

extension ReportedFile.Image {
    init(_ image: FileScan.Image) {
        let (summary, result) = (image.summary, image.result)
        self.init(
            image: image.name, hdu: summary.hdu, plane: summary.plane, extname: image.extensionName,
            width: summary.width, height: summary.height, sources: result.sources.count,
            removedByCleaning: result.removed, background: Double(result.globalLevel),
            noise: Double(result.globalNoise), maskedPixels: result.maskedPixels,
            gain: image.parameters.gain > 0 ? image.parameters.gain : nil, bands: result.bands,
            trails: result.trails?.count,
            missing: result.missing.map(ReportedFile.Missing.init), coordinatesProblem: summary.coordinatesProblem,
            warnings: image.warnings)
    }
}

extension ReportedFile.Missing {
    /// Position, step and reason in one line.
    package var line: String {
        // A band without a background of its own is scanned with that of its neighbours.
        "\(step == ScanStep.background.rawValue ? "degraded" : "missing"): rows \(Self.words(rows)), "
            + "columns \(Self.words(columns)) (\(step)): \(reason)"
    }

    private static func words(_ ends: [Int]) -> String { ends.map { "\($0)" }.joined(separator: " to ") }

    fileprivate init(_ sector: MissingSector) {
        self.init(
            step: sector.step.rawValue, columns: [sector.rect.x.lowerBound, sector.rect.x.upperBound - 1],
            rows: [sector.rect.y.lowerBound, sector.rect.y.upperBound - 1], reason: sector.reason,
            log: sector.log.isEmpty ? nil : sector.log)
    }
}

extension MissingSector {
    /// Position, step and reason in one line.
    package var line: String { ReportedFile.Missing(self).line }
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
