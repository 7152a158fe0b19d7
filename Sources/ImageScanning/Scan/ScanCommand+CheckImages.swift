package import CommandLineKit
import SkyExtraction
import SkyFITS
package import SkyMeasurement
import SkyScan

extension ScanCommand.Options {
    /// A check image that is written, and the name of its file.
    package struct CheckImageOutput: Equatable, Sendable {
        var image: CheckImage
        /// A name, or a template of names.
        var name: String

        /// Refuses names of files that are compressed as a whole.
        package init(_ image: CheckImage, _ name: String, origin: String) throws(UsageError) {
            guard !name.isEmpty, !name.hasSuffix(".gz") else {
                throw UsageError(
                    "\(origin): \"\(name)\": name a file such as check.fits, or check.fits.fz to compress it")
            }
            (self.image, self.name) = (image, name)
        }

        static func all(_ arguments: Arguments) throws(UsageError) -> [CheckImageOutput] {
            var outputs: [CheckImageOutput] = []
            if let name = try arguments[segmentation] {
                outputs.append(try CheckImageOutput(.segmentation, name, origin: "--segmentation"))
            }
            for (image, name) in try arguments[others].map({ ($0.image, $0.name) }) {
                outputs.append(try CheckImageOutput(image, name, origin: "--check-image"))
            }
            return outputs
        }

        private static let segmentation = Option.optional(
            "segmentation", .file(.writes, "FILE.fits"),
            help: "Write an image whose pixels have the numbers of their sources, 0 without one; .fits.fz compresses it"
        )
        private static let others = Option.list(
            "check-image", .checkImage,
            help:
                "Write one of SExtractor's check images: \(CheckImage.allCases.map(\.rawValue).joined(separator: ", "))"
        )

        static let options = [segmentation.spec, others.spec]
    }
}

extension ValueForm where Value == (image: CheckImage, name: String) {
    /// The name of a check image and its file, as in `BACKGROUND=back.fits`.
    fileprivate static var checkImage: ValueForm {
        ValueForm(
            placeholder: "TYPE=FILE", expected: "the type of a check image and a file, as in BACKGROUND=back.fits",
            parse: { text in
                let parts = text.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, let image = CheckImage(name: String(parts[0])) else { return nil }
                return (image, String(parts[1]))
            },
            show: { "\($0.image.rawValue)=\($0.name)" }
        ).naming(FileUse(.writes) { $0.split(separator: "=", maxSplits: 1).dropFirst().map(String.init) })
    }
}

/// A scanned image of which check images can be made.
struct CheckedScan: Sendable {
    var result: SkyScanResult
    var reader: ImageReader
    var parameters: ScanParameters
    /// The sources of the catalogue, by index; nil: all.
    var selected: [Int]?
    /// Its HDU.
    var source: ImageExtension?
    /// The scan that detected the sources, if that was another one.
    private var detection: [CheckedScan] = []

    init(
        result: SkyScanResult, reader: ImageReader, parameters: ScanParameters,
        selected: [Int]? = nil,
        source: ImageExtension? = nil, detection: CheckedScan? = nil
    ) {
        (self.result, self.reader, self.parameters, self.source) = (result, reader, parameters, source)
        self.selected = selected
        self.detection = detection.map { [$0] } ?? []
    }

    /// The scans that check images show, with the files of these: SExtractor's FILTERED and BACKGROUND_RMS are those of the
    /// detection.
    fileprivate func parts(_ files: [CheckImageFile]) -> [(CheckedScan, [CheckImageFile])] {
        guard let detection = detection.first else { return [(self, files)] }
        let ofDetection = files.filter { [.filtered, .noise].contains($0.image) }
        let parts = [(self, files.filter { ![.filtered, .noise].contains($0.image) }), (detection, ofDetection)]
        return parts.filter { !$0.1.isEmpty }
    }
}

/// Where the check images of the files of a job go.
struct CheckImagePlan: Sendable {
    private let images: [CheckImage]
    let names: OutputPlan

    /// The check images whose names are `names`, in this order.
    init(_ images: [CheckImage], names: OutputPlan) { (self.images, self.names) = (images, names) }

    /// A file of check images.
    struct Target: Sendable {
        var image: CheckImage
        var path: String
        /// The image that it is of; nil: all of the file.
        var source: ImageExtension?
    }

    /// The files of the check images of a file.
    /// - Parameters:
    ///   - scans: its images.
    ///   - file: the file.
    /// - Returns: what is written, in the order of the options.
    func targets(_ scans: [CheckedScan], of file: InputList.File) -> [Target] {
        zip(images, names.templates).flatMap { image, template in
            guard template.isPerImage else { return [Target(image: image, path: template.name(file: file.path))] }
            return scans.map { scan in
                Target(
                    image: image, path: template.name(file: file.path, image: scan.source), source: scan.source)
            }
        }
    }

    /// Writes check images of a file.
    /// - Parameters:
    ///   - scans: the file's images, in the order of their HDUs.
    ///   - targets: the files that are written.
    ///   - isOnly: whether the file has no further image.
    ///   - overwrites: whether a file of this name may be replaced.
    /// - Throws: ``OutputError``, ``ImageError``, `CancellationError`.
    static func write(
        _ scans: [CheckedScan], to targets: [Target], isOnly: Bool, overwrites: (String) -> Bool
    ) async throws {
        if targets.isEmpty { return }
        let files = try targets.map { target in
            try CheckImageFile(
                target.image, path: target.path, isOnly: isOnly || target.source != nil,
                overwrite: overwrites(target.path))
        }
        for scan in scans {
            let own = zip(files, targets).filter { $1.source == nil || $1.source == scan.source }.map(\.0)
            for (shown, part) in scan.parts(own) {
                try await shown.result.append(
                    to: part, of: shown.reader, parameters: shown.parameters,
                    selected: scan.selected)
            }
        }
        // They are of pixels that were read again.
        for scan in scans { try await scan.reader.confirmUnchanged() }
        for file in files { try file.finish() }
    }
}
