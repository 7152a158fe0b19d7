package import CommandLineKit
package import SkyCalibration
import SkyFITS

/// The flags that say how raw frames are calibrated: those of `skyfarm calibrate`, and of a scan of raw frames.
package enum CalibrationFlags {
    package static let overscan = Option.optional(
        "overscan", SectionChoice.form, help: "Subtract the level of this section from each row, or column")
    package static let overscanMethod = Option.value(
        "overscan-method", .choice("METHOD"), default: OverscanLevels.Method.median,
        help: "How the overscan of a row becomes its level")
    package static let trim = Option.optional("trim", SectionChoice.form, help: "Keep this section only")
    package static let bias = Option.optional("bias", .file(.reads), help: "Subtract this master bias")
    package static let dark = Option.optional(
        "dark", .file(.reads), help: "Subtract this master dark, from which the bias is subtracted already")
    package static let darkScale = Option.value(
        "dark-scale", .choice("SCALE"), default: DarkScale.exptime,
        help: "Scale the dark by the ratio of the exposure times EXPTIME, or not")
    package static let flat = Option.optional("flat", .file(.reads), help: "Divide by this master flat")
    package static let badPixels = Option.optional(
        "bad-pixels", .file(.reads), help: "Pixels that are not 0 in this image are bad")
    package static let cosmicRays = Option.optional(
        "cosmic-rays", .choice("HOW"), implied: RayHandling.clean,
        help: "Find cosmic rays by L.A.Cosmic, and replace their pixels by those around them, or by NaN (mask)")
    package static let readNoise = Option.value(
        "read-noise", HeaderValue.form(["RDNOISE", "READNOIS", "RON"]), default: .number(standard.readnoise),
        help: "Electrons of read noise; auto: RDNOISE of the header")
    private static let sigclip = Option.value(
        "cr-sigclip", .number("N", 0.1...1000), default: standard.sigclip,
        help: "Significance of the sharp edges of cosmic rays")
    private static let sigfrac = Option.value(
        "cr-sigfrac", .number("SHARE", 0...1), default: standard.sigfrac,
        help: "Share of that significance that suffices beside a cosmic ray")
    private static let objlim = Option.value(
        "cr-objlim", .number("N", 0...1000), default: standard.objlim,
        help: "Contrast by which cosmic rays are sharper than stars")
    private static let iterations = Option.value(
        "cr-iterations", .integer("N", 1...100), default: standard.niter, help: "Most rounds of the search")
    private static let medians = Option.value(
        "cr-medians", .choice("HOW"), default: Medians.separable,
        help: "Medians along rows and then columns, or over squares, which takes longer")
    private static let cleantype = Option.value(
        "cr-clean", .choice("HOW"), default: standard.cleantype,
        help: "What replaces a cosmic ray: mean, median or weighted mean of the good pixels around it")

    private static let standard = CosmicRayParameters()

    package enum RayHandling: String, CaseIterable, Sendable { case clean, mask }

    package enum Medians: String, CaseIterable, Sendable { case separable, square }

    /// The flags of the search for cosmic rays.
    package static let raySpecs = [
        cosmicRays.spec, readNoise.spec, sigclip.spec, sigfrac.spec, objlim.spec, iterations.spec, medians.spec,
        cleantype.spec,
    ]

    /// The flag of the level of saturation, which has another name in a scan.
    package static func saturation(_ name: String) -> Option<HeaderValue> {
        Option.value(
            name, HeaderValue.form(["SATURATE", "SATLEVEL"]), default: .none,
            help: "Raw samples from this level on are saturated; auto: SATURATE of the header")
    }

    /// The flag of the gain, which has another name in a scan.
    package static func gain(_ name: String) -> Option<HeaderValue> {
        Option.value(
            name, HeaderValue.form(["EGAIN", "GAIN"]), default: .none,
            help: "Electrons per count of raw samples; auto: EGAIN, else GAIN, of the header")
    }

    /// The recipe that the flags tell, but for gain and saturation.
    /// - Throws: `UsageError`, also for a name with brackets that select no image.
    package static func recipe(_ arguments: Arguments) throws(UsageError) -> CalibrationRecipe {
        var recipe = CalibrationRecipe()
        recipe.overscan = try arguments[overscan] ?? SectionChoice.none
        recipe.overscanMethod = try arguments[overscanMethod]
        recipe.trim = try arguments[trim] ?? SectionChoice.none
        recipe.bias = try location(arguments, bias)
        recipe.dark = try location(arguments, dark)
        recipe.darkScale = try arguments[darkScale]
        recipe.flat = try location(arguments, flat)
        recipe.badPixels = try location(arguments, badPixels)
        recipe.readNoise = try arguments[readNoise]
        guard let handling = try arguments[cosmicRays] else { return recipe }
        var rays = CosmicRayParameters()
        (rays.sigclip, rays.sigfrac) = (try arguments[sigclip], try arguments[sigfrac])
        (rays.objlim, rays.niter) = (try arguments[objlim], try arguments[iterations])
        (rays.sepmed, rays.cleantype) = (try arguments[medians] == .separable, try arguments[cleantype])
        (recipe.cosmicRays, recipe.masksCosmicRays) = (rays, handling == .mask)
        return recipe
    }

    private static func location(
        _ arguments: Arguments, _ option: Option<String?>
    ) throws(UsageError) -> ImageLocation? {
        guard let name = try arguments[option] else { return nil }
        do throws(ImageError) {
            return try ImageLocation(name)
        } catch {
            throw UsageError("--\(option.spec.name): \(error)")
        }
    }
}

extension SectionChoice {
    fileprivate static let form = ValueForm<SectionChoice>(
        placeholder: "SECTION|auto", expected: "a section such as '[2049:2080,1:4096]', auto or none",
        parse: { text in
            if text == "auto" { return .automatic }
            if text == "none" { return SectionChoice.none }
            return PixelSection(text, width: 1, height: 1).map { _ in .section(text) }
        },
        show: { choice in
            switch choice {
            case .none: "none"
            case .automatic: "auto"
            case .section(let text): text
            }
        })
}

extension HeaderValue {
    fileprivate static func form(_ automatic: [String]) -> ValueForm<HeaderValue> {
        ValueForm<HeaderValue>(
            placeholder: "N|KEYWORD", expected: "a positive number, a header keyword, auto or none",
            parse: { text in
                if text == "none" { return HeaderValue.none }
                if text == "auto" { return .keyword(automatic) }
                if let number = Double(text) { return number > 0 && number.isFinite ? .number(number) : nil }
                let isKeyword = (1...8).contains(text.count) && text.allSatisfy { $0.isASCII && !$0.isWhitespace }
                return isKeyword ? .keyword([text.uppercased()]) : nil
            },
            show: { value in
                switch value {
                case .none: "none"
                case .number(let number): plainText(number)
                case .keyword(let keywords): keywords == automatic ? "auto" : keywords.joined(separator: " or ")
                }
            })
    }
}
