package import CommandLineKit
import Foundation
import SkyCatalogue
package import SkyFITS

extension ScanCommand.Options {
    /// Which images of a job are scanned, in which order, and what an error does.
    package struct Images: Equatable, Sendable {
        /// HDUs that are left out: patterns of EXTNAMEs, or numbers.
        package var skipped: [String]
        /// Which planes of cubes are scanned.
        package var planes: PlaneChoice
        /// Patterns of file names that come first, in this order.
        package var first: [String]
        var failsFast: Bool
        /// Whether files are left out whose catalogues exist and say that they are current.
        var skipsExisting: Bool
        /// Which images are scanned, by their headers; nil for all.
        package var condition: HeaderCondition?
        /// Whether folders stand for the files at any depth below them.
        package var isRecursive: Bool
        /// Whether folders without files, and files without an image, are errors.
        var isStrict: Bool
        /// Whether the inputs are folders that are watched.
        var watches: Bool
        /// Seconds after which an incomplete file in a watched folder is reported.
        var watchLimit: Double
        /// The file of one table of all sources; nil: none.
        package var merged: String?

        init(_ arguments: Arguments) throws(UsageError) {
            skipped = try arguments[Self.skipHDU]
            planes = try Self.planes(try arguments[Self.plane])
            first = try arguments[Self.priority]
            failsFast = try arguments[Self.failFast]
            skipsExisting = try arguments[Self.skipExisting]
            condition = try Self.condition(try arguments[Self.selection])
            isRecursive = try arguments[Self.recursive]
            isStrict = try arguments[Self.strict]
            watches = try arguments[Self.watch]
            watchLimit = try arguments[Self.watchLimit]
            merged = try arguments[Self.merged]
            try merged.map(Self.checkMerged)
        }

        private static func checkMerged(_ name: String) throws(UsageError) {
            let format = CatalogueFormat(path: name)
            if format == nil || format == .reg {
                throw UsageError(
                    "--merged: \(name): name a file that ends in .fits, .fit, .csv or .ecsv, also with .gz")
            }
        }

        private static func condition(_ text: String?) throws(UsageError) -> HeaderCondition? {
            guard let text else { return nil }
            do throws(ConditionError) {
                return try HeaderCondition(text)
            } catch {
                throw UsageError("--where: \(error)", excerpt: error.excerpt)
            }
        }

        private static func planes(_ text: String?) throws(UsageError) -> PlaneChoice {
            guard let text else { return .colours }
            if text == "all" { return .all }
            guard let number = Int(text), number > 0 else {
                throw UsageError("--plane: \(text): give the number of a plane, from 1, or all")
            }
            return .number(number)
        }

        /// Whether the image is left out.
        func skips(_ image: ImageExtension) -> Bool {
            let name = image.name ?? ""
            return skipped.contains {
                Int($0) == image.number || fnmatch($0.uppercased(), name.uppercased(), 0) == 0
            }
        }

        /// The files with those first that match a pattern of `--priority`; otherwise in order.
        package func ordered(_ files: [InputList.File]) -> [InputList.File] {
            if first.isEmpty { return files }
            func rank(_ file: InputList.File) -> Int {
                let name = InputList.lastName(of: file.path)
                return first.firstIndex { fnmatch($0, name, 0) == 0 || fnmatch($0, file.path, 0) == 0 } ?? first.count
            }
            // Stable: ties are settled by the place.
            return files.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
                .map(\.element)
        }

        static let skipHDU = Option.list(
            "skip-hdu", .text("NAME"), fallback: "none",
            help: "Leave out images whose EXTNAME matches the pattern, such as DQ or 'MASK*', or the HDU of this number"
        )
        package static let plane = Option.optional(
            "plane", .text("PLANE"), fallback: "the three planes of a colour camera",
            help: "Scan this plane of each cube, from 1, or all planes, as images; IMAGE[HDU][PLANE] names one")
        package static let priority = Option.list(
            "priority", .text("GLOB"), fallback: "none", help: "Scan files whose name matches the pattern first")
        package static let skipExisting = Option.toggle(
            "skip-existing",
            help: "Leave out files whose FITS catalogue exists and has, in its header, the checksum of the image, the "
                + "parameters and the version; other formats do not record them")
        package static let watch = Option.toggle(
            "watch", help: "Scan what is in the folders and what arrives there, until a signal ends it")
        static let recursive = Option.toggle(
            "recursive", help: "Scan the files of folders at any depth, and with --watch also those of new folders")
        static let selection = Option.optional(
            "where", .text("CONDITION"), fallback: "all images",
            help: "Scan the images whose headers meet the condition, such as \"IMAGETYP = 'LIGHT' and EXPTIME >= 30\"; "
                + "the others are left out")
        static let strict = Option.toggle(
            "strict",
            help: "Take a folder without FITS files, and a file that holds only tables or spectra, for an error "
                + "instead of leaving it out")
        static let watchLimit = Option.value(
            "watch-limit", .number("SECONDS", 1...86_400), default: 300, layers: .all,
            help: "Report a file in a watched folder that is incomplete and has not changed for so long")
        package static let merged = Option.optional(
            "merged", .file(.writes), fallback: "none",
            help: "Write one table of the sources of all files, with columns image and hdu, when they are done: .fits, "
                + ".fit, .csv or .ecsv, also with .gz; the files need FITS catalogues")
        static let failFast = Option.toggle("fail-fast", help: "Stop at the first file that cannot be scanned")
    }
}
