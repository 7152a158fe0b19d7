package import CommandLineKit
import Console
import Foundation
package import SkyCatalogue
package import SkyExtraction
package import SkyFITS
import SkyMeasurement
package import SkyScan

extension ScanCommand.Options {
    /// Columns with SExtractor's names, and what they depend on.
    package struct Columns: Equatable, Sendable {
        /// A `.param` file or a list of names, until it is loaded.
        package var source: String?
        package var settings = SExtractorSettings()
        package var request = MeasurementRequest()
        /// The weights of CLASS_STAR; nil: those that source-extractor brings.
        package var network: String?
        package var flagImage: String?
        /// A file of PSFEx, until it is loaded.
        package var pointSpreadFile: String?
        /// The models of that file, one per image of a file or one for all; empty if no column needs them.
        var pointSpreads: [PointSpreadModel] = []
        /// The list of positions for VECTOR_ASSOC, until it is loaded; nil: none.
        package var association: AssociationList?
        /// Ending of a file of header cards beside an image; nil: none is read.
        package var headSuffix: String?
        /// Nil: by the file's ending.
        package var format: CatalogueFormat?
        /// What named the columns, for errors.
        package var name = "--columns"

        /// Where Debian installs SExtractor's weights.
        private static let debianNetwork = "/usr/share/source-extractor/default.nnw"

        package init() {}

        init?(_ arguments: Arguments) throws(UsageError) {
            guard let source = try arguments[Self.columns] else {
                let isForced = try arguments[ScanCommand.Options.Forced.positions] != nil
                let others = Self.dependent.filter { !(isForced && $0.name == Self.apertures.spec.name) }
                if let option = others.first(where: { arguments.flags[$0.name] != nil }) {
                    throw UsageError("--\(option.name) belongs to --columns: give that, too")
                }
                return nil
            }
            self.source = source
            request.apertures = try arguments[Self.apertures]
            request.fluxFractions = try arguments[Self.fluxFractions]
            request.masking = try arguments[Self.masking]
            settings.zeroPoint = try arguments[Self.zeroPoint]
            settings.saturation = try arguments[Self.saturation]
            settings.pixelScale = try arguments[Self.pixelScale]
            settings.seeing = try arguments[Self.seeing]
            network = try arguments[Self.weights]
            flagImage = try arguments[Self.flags]
            pointSpreadFile = try arguments[Self.pointSpread]
        }

        /// Reads the `.param` file, or the list, of names.
        /// - Returns: warnings about names that are not known.
        /// - Throws: `UsageError`.
        package mutating func load() throws -> [String] {
            guard let source else { return [] }
            if Self.isFile(source) {
                guard let data = try? ReadableFiles.current.contents(of: source) else {
                    throw UsageError("\(name): \(source): cannot be read; name a file of columns, one per line")
                }
                let text = String(decoding: data, as: UTF8.self)
                settings.columns = try Self.usage { try ColumnSelection(parsing: text, name: source) }
                if settings.columns.items.isEmpty { throw UsageError("\(source): the file names no known column") }
            } else {
                settings.columns = try Self.usage("\(name): ") { try ColumnSelection(list: source) }
            }
            self.source = nil
            settings.columns.require(in: &request)
            if settings.columns.needsFlagImage, flagImage == nil {
                throw UsageError("\(name): IMAFLAGS_ISO and NIMAFLAGS_ISO need a flag image (--flag-image FILE)")
            }
            if settings.columns.needsAssociation {
                guard let association else {
                    throw UsageError(
                        "\(name): VECTOR_ASSOC and NUMBER_ASSOC need a list of positions: skyfarm sex -ASSOC_NAME FILE")
                }
                settings.association = try association.load()
            }
            self.association = nil
            try loadPointSpread()
            try requireSeeing()
            return settings.columns.unknown.map { "\(source): \($0) is no column that skyfarm has; left out" }
                + settings.columns.ignored.map { "\(source): \($0) follows another column on its line; left out" }
        }

        /// SExtractor takes the width of the model of PSFEx for a width of 0.
        private mutating func requireSeeing() throws(UsageError) {
            guard settings.seeing == 0, settings.columns.contains("CLASS_STAR") else { return }
            throw UsageError("\(name): CLASS_STAR needs the width of stars in arcseconds: --seeing, SEEING_FWHM")
        }

        private mutating func loadPointSpread() throws(UsageError) {
            guard settings.columns.needsPointSpread else { return pointSpreadFile = nil }
            guard let path = pointSpreadFile else {
                throw UsageError("\(name): columns of the PSF and SPREAD_MODEL need a model of PSFEx (--psf FILE)")
            }
            let isExtended = settings.columns.needsSpread
            pointSpreads = try Self.usage("\(name.hasPrefix("--") ? "--psf" : "PSF_NAME"): ") {
                try PointSpreadFile.models(path: path, isExtended: isExtended)
            }
        }

        private static func usage<Value>(_ prefix: String = "", _ body: () throws -> Value) throws(UsageError) -> Value
        {
            do {
                return try body()
            } catch {
                throw UsageError("\(prefix)\(error)")
            }
        }

        /// The weights of CLASS_STAR, if that is a column.
        /// - Throws: `UsageError` if they cannot be used.
        func starNetwork() throws -> StarNetwork? {
            guard settings.columns.contains("CLASS_STAR") else { return nil }
            let path = network ?? Self.debianNetwork
            // A job may read the default file as well, although it lies outside of the folders of the job.
            let data =
                network == nil
                ? FileManager.default.contents(atPath: path) : try? ReadableFiles.current.contents(of: path)
            guard let data else {
                throw UsageError(
                    "CLASS_STAR: \(path): the weights of SExtractor's network cannot be read; name a .nnw file"
                        + " (--nnw, STARNNW_NAME), or install source-extractor")
            }
            return try Self.usage("\(path): ") { try StarNetwork(parsing: String(decoding: data, as: UTF8.self)) }
        }

        /// What is measured in an image; `survey`: of its file, if that was made; `isFitted`: whether point spread
        /// functions are fitted in it.
        /// - Throws: `UsageError` if the file of point spread functions has none for it.
        func request(
            for image: ImageSummary, in survey: FITSSurvey?, isFitted: Bool
        ) throws(UsageError) -> MeasurementRequest {
            var request = request
            request.saturation = settings.saturation(of: image.cards)
            if isFitted, !pointSpreads.isEmpty { request.pointSpread = pointSpreads[try place(of: image, in: survey)] }
            return request
        }

        /// PSFEx writes one model for all images, or one for each image of a file.
        private func place(of image: ImageSummary, in survey: FITSSurvey?) throws(UsageError) -> Int {
            if pointSpreads.count == 1 { return 0 }
            let images = try Self.usage { try survey ?? FITSSurvey(of: ImageLocation(image.name).path) }.images
            guard images.count == pointSpreads.count,
                let place = images.firstIndex(where: { ($0.number, $0.plane) == (image.hdu, image.plane) })
            else {
                throw UsageError(
                    "\(pointSpreadFile ?? name): has \(pointSpreads.count) models, and the file of \(image.name) has"
                        + " \(HumanFormat.count(images.count, "image"))")
            }
            return place
        }

        /// Whether columns are named by a file, not in a list.
        private static func isFile(_ source: String) -> Bool {
            source.hasSuffix(".param") || source.contains("/") || ReadableFiles.current.exists(source)
        }

        private static let columns = Option.optional(
            "columns", .text("FILE|LIST").naming(FileUse(.reads) { isFile($0) ? [$0] : [] }),
            help: "Write SExtractor's columns: a .param file, or names such as NUMBER,X_IMAGE,MAG_AUTO,VIGNET(35,35)")
        static let apertures = Option.value(
            "apertures", .numbers("D,...", 0.01...20_000), default: [5],
            help: "Diameters in pixels of the apertures of FLUX_APER and MAG_APER (PHOT_APERTURES), and of --at")
        private static let fluxFractions = Option.value(
            "flux-fractions", .numbers("F,...", 0.001...1), default: [0.5],
            help: "Shares of the flux for FLUX_RADIUS (PHOT_FLUXFRAC)")
        private static let masking = Option.value(
            "neighbours", .choice("RULE"), default: MeasurementRequest.Masking.correct,
            help: "Pixels of neighbours in apertures: counted, 0, or replaced by those opposite (MASK_TYPE)")
        private static let zeroPoint = Option.value(
            "zero-point", .number("MAG", -1000...1000), default: 0, help: "Magnitude of a flux of 1 (MAG_ZEROPOINT)")
        private static let saturation = Option.value(
            "saturation", .number("LEVEL", -1e30...1e30), default: 50_000,
            help: "Level of saturated pixels, unless the header has SATURATE (SATUR_LEVEL)")
        private static let pixelScale = Option.value(
            "pixel-scale", .number("ARCSEC", 0...1e6), default: 0,
            help: "Side of a pixel; 0 takes the header's coordinates (PIXEL_SCALE)")
        private static let seeing = Option.value(
            "seeing", .number("ARCSEC", 0.001...1e6), default: 1.2,
            help: "Width of stars, for CLASS_STAR (SEEING_FWHM)")
        private static let weights = Option.optional(
            "nnw", .file(.reads), fallback: "that of source-extractor",
            help: "Weights of the network of CLASS_STAR (STARNNW_NAME)")
        private static let flags = Option.optional(
            "flag-image", .file(.reads), help: "Image of the same size whose bits IMAFLAGS_ISO combines (FLAG_IMAGE)")

        private static let pointSpread = Option.optional(
            "psf", .file(.reads), help: "Model of PSFEx that FLUX_PSF, SPREAD_MODEL and the like are of (PSF_NAME)")

        private static let dependent = [
            apertures.spec, fluxFractions.spec, masking.spec, zeroPoint.spec, saturation.spec, pixelScale.spec,
            seeing.spec, weights.spec, flags.spec, pointSpread.spec,
        ]

        static let section = OptionSection(title: "SExtractor's columns", options: [columns.spec] + dependent)
    }
}

extension ValueForm where Value == [Double] {
    /// Numbers in `range`, separated by commas.
    package static func numbers(_ placeholder: String, _ range: ClosedRange<Double>) -> ValueForm {
        let number = ValueForm<Double>.number("N", range)
        return ValueForm(
            placeholder: placeholder, expected: "\(number.expected), or several with commas between them",
            parse: { text in
                let values = text.split(separator: ",", omittingEmptySubsequences: false).map {
                    number.parse(String($0))
                }
                return values.contains(nil) ? nil : values.compactMap(\.self)
            },
            show: { $0.map(plainText).joined(separator: ",") })
    }
}

extension ScanCommand {
    /// The catalogue of an image: with SExtractor's columns if they are wanted, otherwise `table`.
    /// - Parameters:
    ///   - table: with SEP's columns.
    ///   - result: of the scan.
    ///   - image: the image.
    ///   - parameters: of the scan.
    ///   - number: of the image among those of its file, from 1.
    ///   - checksums: those of the image and its maps.
    /// - Returns: the table that is written.
    /// - Throws: `UsageError` for weights of CLASS_STAR, ``ImageError`` for a flag image that cannot be used.
    package func catalogue(
        _ table: CatalogueTable, _ result: SkyScanResult, _ image: ImageSummary, _ parameters: ScanParameters,
        number: Int, checksums: InputChecksums?
    ) throws -> CatalogueTable {
        guard let columns = options.columns else { return table }
        let flags = columns.settings.columns.needsFlagImage ? columns.flagImage : nil
        let flagImage = try flags.map { try openFlagImage($0, of: image, number: number) }
        var catalogue = try result.table(
            image: image, parameters: parameters, settings: columns.settings, extensionNumber: number,
            network: try columns.starNetwork(), flagImage: flagImage, checksums: checksums,
            software: Software.name)
        (catalogue.source, catalogue.image) = (table.source, table.image)
        return catalogue
    }

    /// The cards beside an image that replace those of its header: the set of the image's number among those of its file.
    package func head(of name: String, number: Int) throws -> FITSHeader? {
        guard let suffix = options.columns?.headSuffix else { return nil }
        let path = (try ImageLocation(name).path as NSString).deletingPathExtension + suffix
        guard let data = try? ReadableFiles.current.contents(of: path) else { return nil }
        let headers = FITSHeader.headers(parsing: String(decoding: data, as: UTF8.self))
        guard headers.indices.contains(number - 1) else {
            throw ScanSetupError(
                "\(path): has \(headers.count) headers, and the image is number \(number); each ends with a line END")
        }
        return headers[number - 1]
    }

    /// The flag image of an image: the HDU of the image's number unless one is named.
    private func openFlagImage(_ name: String, of image: ImageSummary, number: Int) throws -> FITSImage {
        let location = try ImageLocation(name)
        let isOnly = location.selector != .firstImage || image.imageCount == 1
        let flags = try FITSImage(isOnly ? name : "\(name)[\(image.hdu)]")
        guard flags.width == image.width, flags.height == image.height else {
            throw ScanSetupError(
                "\(name): the flag image is \(flags.width) by \(flags.height) pixels, the image \(image.width) by "
                    + "\(image.height); give one of the same size")
        }
        return flags
    }
}
