package import CommandLineKit
import Foundation
package import ImageScanning
import SkyCatalogue
import SkyExtraction
import SkyMeasurement
import SkyScan

/// Translates a configuration of SExtractor to the options of a scan.
package struct SexOptions {
    package private(set) var options: ScanCommand.Options
    private let configuration: SexConfiguration

    /// - Throws: `UsageError` that names the file, line and key of an invalid value.
    package init(_ configuration: SexConfiguration, _ arguments: SexArguments, _ layers: Arguments) throws(UsageError) {
        self.configuration = configuration
        try configuration.requireSupport()
        options = try Self.scanOptions(arguments, layers, try Self.verbosity(configuration))
        try readDetection()
        try readMaps()
        try readColumns()
        try readBackground()
        try readOutput()
        try readCheckImages()
    }

    /// Returns the options of `skyfarm scan` for the flags that are mixed with SExtractor's arguments.
    private static func scanOptions(
        _ arguments: SexArguments, _ layers: Arguments, _ verbosity: [String]
    ) throws(UsageError) -> ScanCommand.Options {
        guard let image = arguments.images.first, arguments.images.count == 1 else {
            throw UsageError("SExtractor takes one image, not \(arguments.images.count); skyfarm scan takes many")
        }
        let images = Self.images(image)
        let words =
            images.measured + (images.detection.map { ["--detect", $0] } ?? []) + [
                "--overwrite", "--output=catalogue.fits",
            ] + verbosity + arguments.flags
        var parsed = try ScanCommand.arguments(words)
        (parsed.environment, parsed.file) = (layers.environment, layers.file)
        return try ScanCommand.Options(parsed)
    }

    /// Returns the images of SExtractor's `DETECTION,MEASUREMENT` argument, which may name further images to measure.
    private static func images(_ text: String) -> (detection: String?, measured: [String]) {
        let names = text.split(separator: ",").map(String.init)
        if names.count < 2 || FileManager.default.fileExists(atPath: text) { return (nil, [text]) }
        return (names[0], Array(names.dropFirst()))
    }

    // MARK: - Detection

    private mutating func readDetection() throws(UsageError) {
        typealias Limits = ScanParameters.Limits
        var parameters = ScanParameters()
        let threshold = configuration["DETECT_THRESH"]
        if threshold.words.count > 1 {
            throw UsageError("\(threshold.origin): a threshold in magnitudes is not supported; give one number")
        }
        parameters.threshold = try configuration.number("DETECT_THRESH", Limits.threshold)
        parameters.minArea = try configuration.integers("DETECT_MINAREA", Limits.minArea)[0]
        parameters.deblendLevels = try configuration.integers("DEBLEND_NTHRESH", Limits.deblendLevels)[0]
        parameters.deblendContrast = try configuration.number("DEBLEND_MINCONT", Limits.deblendContrast)
        let clean = try configuration.number("CLEAN_PARAM", Limits.clean)
        parameters.clean = try configuration.boolean("CLEAN") ? clean : nil
        let mesh = try configuration.integers("BACK_SIZE", Limits.mesh, most: 2)
        (parameters.meshWidth, parameters.meshHeight) = (mesh[0], mesh[mesh.count - 1])
        let filter = try configuration.integers("BACK_FILTERSIZE", Limits.meshFilter, most: 2)
        (parameters.meshFilterWidth, parameters.meshFilterHeight) = (filter[0], filter[filter.count - 1])
        let auto = configuration["PHOT_AUTOPARAMS"]
        guard auto.words.count == 2 else { throw UsageError("\(auto.origin): needs two numbers") }
        let kron = try configuration.numbers("PHOT_AUTOPARAMS", 0...20, most: 2)
        guard Limits.kronFactor.contains(kron[0]) else {
            throw UsageError("\(auto.origin): the Kron factor must be 0.1 to 20, not \(plainText(kron[0]))")
        }
        (parameters.kronFactor, parameters.kronMinimum) = (kron[0], kron[1])
        try readFilter(&parameters)
        options.detection.parameters = parameters
        options.detection.gain = .preferred(
            keyword: configuration["GAIN_KEY"].words.first?.uppercased() ?? "",
            otherwise: try configuration.number("GAIN", Limits.gain))
    }

    private mutating func readFilter(_ parameters: inout ScanParameters) throws(UsageError) {
        options.detection.kernel = nil
        guard try configuration.boolean("FILTER") else {
            parameters.filter = .none
            return
        }
        let setting = configuration["FILTER_NAME"]
        let name = try configuration.text("FILTER_NAME")
        // If the default file does not exist, the built-in kernel is used, which is identical.
        if !setting.isExplicit, !FileManager.default.fileExists(atPath: name) { return }
        let text = try Self.contents(of: name, setting.origin)
        do {
            _ = try ConvolutionKernel(parsing: text)
        } catch {
            throw UsageError("\(name): \(error)")
        }
        options.detection.kernel = name
    }

    private static func contents(of name: String, _ origin: String) throws(UsageError) -> String {
        guard let data = FileManager.default.contents(atPath: name) else {
            throw UsageError("\(origin): \(name): cannot be read; check its name and permissions")
        }
        return String(decoding: data, as: UTF8.self)
    }

    // MARK: - Maps

    private enum WeightType {
        case none, background
        case map(ScanParameters.WeightMap)
    }

    /// Reads the types and files of weight maps. As in SExtractor, the first ones are used for the detection and the
    /// second ones for the measurement; single ones are used for both.
    private mutating func readMaps() throws(UsageError) {
        let (types, files) = (configuration["WEIGHT_TYPE"], configuration["WEIGHT_IMAGE"])
        for setting in [types, files] where setting.words.count > 2 {
            throw UsageError("\(setting.origin): has \(setting.words.count) values, not 1 or 2")
        }
        let first = try map(0)
        let second = types.words.count > 1 || files.words.count > 1 ? try map(1) : first
        if first != second, options.detectionImage == nil {
            throw UsageError(
                "\(types.origin): different weights for detection and measurement of one image are not supported")
        }
        options.detection.weight = second.weight
        options.detection.parameters.noise = second.noise
        options.detection.parameters.weightMap = second.weightMap
        options.detection.parameters.rescalesWeights = second.rescalesWeights
        options.detectionMap = options.detectionImage == nil ? nil : first
    }

    /// Returns the noise of the image for the values at `place` of WEIGHT_TYPE and WEIGHT_IMAGE.
    private func map(_ place: Int) throws(UsageError) -> ScanCommand.Options.DetectionMap {
        var map = ScanCommand.Options.DetectionMap()
        let type: WeightType = try configuration.choice(
            "WEIGHT_TYPE",
            [
                "NONE": .none, "BACKGROUND": .background, "MAP_WEIGHT": .map(.weight), "MAP_RMS": .map(.rms),
                "MAP_VAR": .map(.variance),
            ], at: place)
        switch type {
        case .none: break
        case .background: map.noise = .map
        case .map(let kind):
            map.weight = try configuration.text("WEIGHT_IMAGE", at: place)
            (map.noise, map.weightMap) = (.weights, kind)
            map.rescalesWeights = try configuration.boolean("RESCALE_WEIGHTS")
        }
        return map
    }

    private mutating func readBackground() throws(UsageError) {
        let isGiven = try configuration.choice("BACK_TYPE", ["AUTO": false, "MANUAL": true])
        let value = try configuration.numbers("BACK_VALUE", -1e30...1e30, most: 2)[0]
        options.detection.parameters.backgroundLevel = isGiven ? value : nil
        let isLocal = try configuration.choice("BACKPHOTO_TYPE", ["GLOBAL": false, "LOCAL": true])
        let thickness = try configuration.integers("BACKPHOTO_THICK", MeasurementRequest.Limits.localThickness)[0]
        options.columns?.request.localThickness = isLocal ? thickness : nil
    }

    // MARK: - Columns

    private mutating func readColumns() throws(UsageError) {
        var columns = ScanCommand.Options.Columns()
        let parameters = configuration["PARAMETERS_NAME"]
        let name = try configuration.text("PARAMETERS_NAME")
        // Reads the file to check that it exists, so that the name is always treated as a file.
        _ = try Self.contents(of: name, parameters.origin)
        (columns.source, columns.name) = (name, parameters.origin)
        columns.request.masking = try configuration.choice(
            "MASK_TYPE", ["NONE": .none, "BLANK": .blank, "CORRECT": .correct])
        let most = MeasurementRequest.Limits.apertureCount
        columns.request.apertures = try configuration.numbers("PHOT_APERTURES", 0.01...20_000, most: most)
        columns.request.fluxFractions = try configuration.numbers("PHOT_FLUXFRAC", 0.001...1, most: most)
        let detection = options.detection.parameters.threshold
        let analysis = configuration["ANALYSIS_THRESH"]
        if analysis.words.count > 1 {
            throw UsageError("\(analysis.origin): a threshold in magnitudes is not supported; give one number")
        }
        let threshold = try configuration.number("ANALYSIS_THRESH", ScanParameters.Limits.threshold)
        columns.request.analysisThreshold = threshold == detection ? nil : threshold
        columns.settings.saturation = try configuration.number("SATUR_LEVEL", -1e30...1e30)
        columns.settings.saturationKeyword = configuration["SATUR_KEY"].words.first?.uppercased() ?? ""
        columns.settings.zeroPoint = try configuration.number("MAG_ZEROPOINT", -1000...1000)
        columns.settings.pixelScale = try configuration.number("PIXEL_SCALE", 0...1e6)
        // World coordinates are then pixels of the image, interpreted as degrees.
        columns.settings.pixelScaleWithoutCoordinates = 3600
        columns.settings.seeing = try configuration.number("SEEING_FWHM", 0...1e6)
        let network = configuration["STARNNW_NAME"]
        let weights = try configuration.text("STARNNW_NAME")
        if network.isExplicit || FileManager.default.fileExists(atPath: weights) { columns.network = weights }
        columns.headSuffix = configuration["HEADER_SUFFIX"].words.first
        columns.flagImage = try configuration.text("FLAG_IMAGE")
        let isWeighted = options.detection.parameters.noise != .global
        columns.request.scalesGain = try configuration.boolean("WEIGHT_GAIN") && isWeighted
        columns.pointSpreadFile = configuration["PSF_NAME"].words.first
        columns.request.petrosian = try configuration.petrosian()
        columns.association = try configuration.associations()
        options.columns = columns
    }

    // MARK: - Output

    private mutating func readOutput() throws(UsageError) {
        let setting = configuration["CATALOG_TYPE"]
        let format: CatalogueFormat? = try configuration.choice(
            "CATALOG_TYPE",
            [
                "NONE": nil, "ASCII": .ascii, "ASCII_HEAD": .asciiHead, "ASCII_SKYCAT": .skycat,
                "ASCII_VOTABLE": .votable,
                "FITS_1.0": .objects, "FITS_LDAC": .ldac,
            ])
        options.columns?.format = format
        guard format != nil else {
            options.outputs = []
            return
        }
        let name = try configuration.text("CATALOG_NAME")
        options.outputs = [name == "STDOUT" ? "-" : name]
        if name == "STDOUT", options.common.json {
            throw UsageError("\(setting.origin): --json writes to standard output, too; name a file")
        }
    }

    private mutating func readCheckImages() throws(UsageError) {
        let (types, names) = (configuration["CHECKIMAGE_TYPE"], configuration["CHECKIMAGE_NAME"])
        if types.words.allSatisfy({ $0.uppercased() == "NONE" }) { return }
        guard types.words.count == names.words.count else {
            let count = names.words.count == 1 ? "is 1 name" : "are \(names.words.count) names"
            throw UsageError(
                "\(types.origin): needs a file for each type in CHECKIMAGE_NAME; for \(types.words.count) there \(count)"
            )
        }
        for (type, name) in zip(types.words, names.words) where type.uppercased() != "NONE" {
            guard let image = CheckImage(name: type) else {
                let known = CheckImage.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("\(types.origin): \(type) is not supported by skyfarm; only \(known) are")
            }
            options.checkImages.append(try .init(image, name, origin: names.origin))
        }
    }

    /// Returns the flags of `skyfarm scan` for VERBOSE_TYPE.
    private static func verbosity(_ configuration: SexConfiguration) throws(UsageError) -> [String] {
        try configuration.choice(
            "VERBOSE_TYPE", ["QUIET": ["--quiet"], "NORMAL": [], "EXTRA_WARNING": [], "FULL": ["--verbose"]])
    }
}
