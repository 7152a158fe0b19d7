import CommandLineKit
import Console
package import SkyExtraction
package import SkyFITS
package import SkyScan

extension ScanCommand.Options {
    /// How sources are found: SExtractor's parameters with SExtractor's defaults.
    package struct Detection: Equatable, Sendable {
        /// Without the values of a kernel file.
        package var parameters = ScanParameters()
        /// Nil: SExtractor's 3 × 3 kernel.
        package var kernel: String?
        package var gain: Gain
        var mask: String?
        package var weight: String?
        /// Where the noise of an image without a weight map comes from.
        private(set) var noiseWithoutWeight = ScanParameters.Noise.global

        init(_ arguments: Arguments) throws(UsageError) {
            for parameter in Self.table { try parameter.read(arguments, &parameters) }
            kernel = try arguments[Self.kernel]
            gain = try arguments[Self.gain]
            mask = try arguments[Self.mask]
            weight = try arguments[Self.weight]
            noiseWithoutWeight = parameters.noise
            if weight != nil { parameters.noise = .weights }
            parameters.weightMap = try arguments[Self.weightMap]
            parameters.backgroundLevel = try arguments[Self.background]
            let detectionWeight = try arguments[ScanCommand.Options.detectionWeight]
            if weight == nil, detectionWeight == nil, arguments.flags[Self.weightMap.spec.name] != nil {
                throw UsageError("--weight-map says what the samples of --weight are: give that, too")
            }
        }

        /// An option and the parameter that it sets; the parameter's default is the option's.
        private struct Parameter: Sendable {
            let spec: OptionSpec
            let read: @Sendable (Arguments, inout ScanParameters) throws(UsageError) -> Void

            init<Value: Sendable>(
                _ name: String, _ form: ValueForm<Value>,
                _ paths: (any WritableKeyPath<ScanParameters, Value> & Sendable)..., help: String
            ) {
                let option = Option.value(
                    name, form, default: ScanParameters()[keyPath: paths[0]], layers: .all, help: help)
                spec = option.spec
                read = { (arguments, parameters) throws(UsageError) in
                    let value = try arguments[option]
                    for path in paths { parameters[keyPath: path] = value }
                }
            }
        }

        private typealias Limits = ScanParameters.Limits

        private static let table = [
            Parameter(
                "threshold", .number("SIGMA", Limits.threshold), \.threshold,
                help: "Detection threshold in units of the noise"),
            Parameter(
                "min-area", .integer("PIXELS", Limits.minArea), \.minArea,
                help: "Minimum number of pixels above the threshold"),
            Parameter(
                "deblend-levels", .integer("N", Limits.deblendLevels), \.deblendLevels,
                help: "Number of deblending thresholds"),
            Parameter(
                "deblend-contrast", .number("SHARE", Limits.deblendContrast), \.deblendContrast,
                help: "Minimum share of a blend's flux for a separate source"),
            Parameter(
                "clean", .cleaning, \.clean,
                help: "Remove detections that are due to the wings of a brighter neighbour; off keeps all"),
            Parameter(
                "mesh", .integer("PIXELS", Limits.mesh), \.meshWidth, \.meshHeight, help: "Size of a background mesh"),
            Parameter(
                "mesh-filter", .integer("MESHES", Limits.meshFilter), \.meshFilterWidth, \.meshFilterHeight,
                help: "Size of the median filter over the meshes"),
            Parameter(
                "kron-factor", .number("N", Limits.kronFactor), \.kronFactor,
                help: "Radius of flux_auto's ellipse in Kron radii (PHOT_AUTOPARAMS)"),
            Parameter(
                "kron-minimum", .number("N", Limits.kronMinimum), \.kronMinimum,
                help: "Smallest radius of flux_auto's ellipse, in units of a and b (PHOT_AUTOPARAMS)"),
            Parameter("filter", .choice("NAME"), \.filter, help: "Filter before detection"),
            Parameter(
                "noise", .choice("NAME", among: [.global, .map]), \.noise,
                help: "Noise that is the unit of the threshold: one level, or a map"),
        ]
        private static let gain = Option.value(
            "gain", Gain.form, default: .automatic, layers: .all,
            help: "Electrons per unit of the samples, or the header keyword that has them, auto: EGAIN, else GAIN. "
                + "Errors then include the photon noise of the source")
        private static let kernel = Option.optional(
            "kernel", .file(.reads), fallback: "SExtractor's 3x3 pyramid", layers: .all,
            help: "Kernel of the filter, in SExtractor's .conv format")
        private static let mask = Option.optional(
            "mask", .file(.reads), help: "Image of the same size; pixels that are not 0 are ignored")
        private static let weight = Option.optional(
            "weight", .file(.reads),
            help: "Weight map of the same size: the noise of each pixel; pixels of weight 0 are ignored")

        private static let weightMap = Option.value(
            "weight-map", .choice("KIND"), default: ScanParameters.WeightMap.weight,
            help:
                "Samples of --weight and --detect-weight: inverse variances, relative variances, or the noise itself (WEIGHT_TYPE)"
        )
        private static let background = Option.optional(
            "background", .number("LEVEL", -1e30...1e30), fallback: "that of the meshes",
            help: "Background of the whole image, in units of the samples (BACK_VALUE)")

        static let section = OptionSection(
            title: "Detection",
            options: table.map(\.spec) + [
                background.spec, kernel.spec, gain.spec, mask.spec, weight.spec, weightMap.spec,
            ])
    }
}

extension ValueForm where Value == Double? {
    /// A parameter of cleaning; nil is `off`.
    fileprivate static var cleaning: ValueForm {
        let number = ValueForm<Double>.number("X", ScanParameters.Limits.clean)
        return ValueForm(
            placeholder: "X", expected: "\(number.expected), or off",
            parse: { $0 == "off" ? .some(nil) : number.parse($0).map(Optional.some) },
            show: { $0.map(plainText) ?? "off" })
    }
}

extension ScanCommand {
    /// What a user should know about an image, a line each.
    package func warnings(of image: ImageSummary) -> [String] {
        image.warnings + (options.calibration?.frames?.masters.warnings() ?? [])
            + cardWarnings(of: image).map { "\(image.name): \($0)" }
    }

    /// What a user should know about the cards of an image that are used.
    func cardWarnings(of image: ImageSummary) -> [String] {
        let gain = try? options.detection.gain.found(in: image.cards, of: options.image)
        let keyword = options.columns?.settings.saturationKeyword ?? ""
        let saturation = image.cards.value(keyword).flatMap { card in
            card.number != nil && card.isInherited
                ? "the level of saturation is \(keyword) \(card.words) of the primary header" : nil
        }
        return [gain?.warning, saturation].compactMap(\.self)
    }

    /// The detection parameters for `image`, with the values of the kernel's file and the gain of the image's header.
    package func parameters(
        for image: ImageSummary, in survey: FITSSurvey? = nil, isFitted: Bool = true
    ) throws -> ScanParameters {
        var parameters = options.detection.parameters
        parameters.gain = try options.detection.gain.found(in: image.cards, of: options.image).value
        if let path = options.detection.kernel {
            parameters.kernel = try readText(path) { try ConvolutionKernel(parsing: $0) }
        }
        parameters.measurements = try options.columns?.request(for: image, in: survey, isFitted: isFitted)
        parameters.measurements?.isOfOtherImage = options.detectionImage != nil
        parameters.returnsPixels = options.checkImages.contains(where: \.image.showsSources)
        parameters.forced = options.forced?.request
        parameters.findsTrails = options.trails != nil
        do {
            try parameters.validate()
        } catch {
            throw UsageError("scan: \(error)")
        }
        return parameters
    }
}
