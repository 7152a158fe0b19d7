import CommandLineKit
import SkyExtraction
import SkyScan

extension ScanCommand.Options {
    /// Photometry at given positions.
    package struct Forced: Equatable, Sendable {
        /// The file of the positions.
        let path: String
        private(set) var request = ForcedRequest()
        /// Nil until it is loaded.
        private var list: PositionList?

        init?(_ arguments: Arguments) throws(UsageError) {
            guard let path = try arguments[Self.positions] else {
                if arguments.flags[Self.limit.spec.name] != nil {
                    throw UsageError("--\(Self.limit.spec.name) belongs to --at: give that, too")
                }
                return nil
            }
            self.path = path
            for (name, reason) in Self.excluded where arguments.flags[name] != nil {
                throw UsageError("--\(name) \(reason): leave it or --at out")
            }
            request.apertures = try arguments[Columns.apertures]
            request.limit = try arguments[Self.limit]
        }

        private static let excluded = [
            ("columns", "names what is measured of sources"), ("report", "shows sources"),
            ("preview", "belongs to a page of sources"), ("dashboard", "shows sources"),
        ]

        /// Reads the positions.
        /// - Throws: `ScanSetupError` that names the file, and the line of a position that is wrong.
        mutating func load() throws {
            let list = try PositionList(path: path)
            request.list = try list.checksum()
            self.list = list
        }

        /// The positions in an image.
        /// - Throws: `ScanSetupError` if the image's header cannot place them.
        func placed(in image: ImageSummary) throws -> PlacedPositions? { try list?.placed(in: image) }

        static let positions = Option.optional(
            "at", .file(.reads),
            help: "Measure fluxes at the positions of FILE, CSV or FITS, instead of a search for sources")
        private static let limit = Option.value(
            "limit-sigma", .number("N", 0.1...100), default: ForcedRequest().limit,
            help: "Upper limits in units of the noise in the aperture")

        static let section = OptionSection(title: "Given positions", options: [positions.spec, limit.spec])
    }
}
