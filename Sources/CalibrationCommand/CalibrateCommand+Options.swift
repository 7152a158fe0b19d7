package import CommandLineKit
package import Console
import ImageScanning
import SkyCalibration
import SkyFITS

extension CalibrateCommand {
    package struct Options: Sendable {
        package var frames: [String]
        package var output: String
        package var overwrite: Bool
        package var compresses: Bool
        package var common: CommonOptions
        package var log: Log
        let recipe: CalibrationRecipe
        let slots: Slots

        package init(_ arguments: Arguments) throws(UsageError) {
            frames = arguments.positionals
            guard let output = try arguments[CalibrateCommand.output] else {
                throw UsageError("calibrate: -o FOLDER/ is missing: name the folder of the calibrated frames")
            }
            self.output = output
            overwrite = try arguments[CalibrationOptions.overwrite]
            compresses = try arguments[CalibrateCommand.compress]
            common = try CommonOptions(arguments)
            log = try Log(arguments)
            slots = Slots(try CalibrationOptions.slots(arguments))
            do {
                recipe = try CalibrateCommand.recipe(arguments)
            } catch let error as UsageError {
                throw error
            } catch {
                throw UsageError("\(error)")
            }
        }
    }

    private static func recipe(_ arguments: Arguments) throws -> CalibrationRecipe {
        var recipe = CalibrationRecipe()
        recipe.overscan = try arguments[overscan] ?? SectionChoice.none
        recipe.overscanMethod = try arguments[overscanMethod]
        recipe.trim = try arguments[trim] ?? SectionChoice.none
        recipe.bias = try CalibrationOptions.location(try arguments[CalibrationOptions.bias])
        recipe.dark = try CalibrationOptions.location(try arguments[CalibrationOptions.dark])
        recipe.darkScale = try arguments[CalibrationOptions.darkScale]
        recipe.flat = try CalibrationOptions.location(try arguments[flat])
        recipe.badPixels = try CalibrationOptions.location(try arguments[badPixels])
        recipe.saturation = try arguments[saturation]
        recipe.gain = try arguments[gain]
        recipe.readNoise = try arguments[readNoise]
        recipe.givesElectrons = try arguments[electrons]
        if recipe.givesElectrons, recipe.gain == .none {
            throw UsageError("--electrons needs --gain: a number, a keyword or auto")
        }
        recipe.program = Software.name
        guard let handling = try arguments[cosmicRays] else { return recipe }
        var rays = CosmicRayParameters()
        (rays.sigclip, rays.sigfrac) = (try arguments[sigclip], try arguments[sigfrac])
        (rays.objlim, rays.niter) = (try arguments[objlim], try arguments[iterations])
        (rays.sepmed, rays.cleantype) = (try arguments[medians] == .separable, try arguments[cleantype])
        (recipe.cosmicRays, recipe.masksCosmicRays) = (rays, handling == .mask)
        return recipe
    }

    enum RayHandling: String, CaseIterable, Sendable { case clean, mask }

    enum Medians: String, CaseIterable, Sendable { case separable, square }

    private static let standard = CosmicRayParameters()

    private static let output = Option.optional(
        "output", short: "o", .file(.writes, "FOLDER/"),
        help: "Write the frames to this folder, or to names made of a template such as red/{stem}.fits")
    private static let compress = Option.toggle(
        "compress", help: "Store images in compressed tiles, without loss; done for frames in .fz files in any case")
    private static let overscan = Option.optional(
        "overscan", SectionChoice.form, help: "Subtract the level of this section from each row, or column")
    private static let overscanMethod = Option.value(
        "overscan-method", .choice("METHOD"), default: OverscanLevels.Method.median,
        help: "How the overscan of a row becomes its level")
    private static let trim = Option.optional(
        "trim", SectionChoice.form, help: "Keep this section only")
    private static let flat = Option.optional("flat", .file(.reads), help: "Divide by this master flat")
    private static let badPixels = Option.optional(
        "bad-pixels", .file(.reads), help: "Pixels that are not 0 in this image are bad")
    private static let saturation = Option.value(
        "saturation", HeaderValue.form(["SATURATE", "SATLEVEL"]), default: .none,
        help: "Raw samples from this level on are saturated; auto: SATURATE of the header")
    private static let gain = Option.value(
        "gain", HeaderValue.form(["EGAIN", "GAIN"]), default: .none,
        help: "Electrons per count; auto: EGAIN, else GAIN, of the header")
    private static let electrons = Option.toggle("electrons", help: "Multiply the pixels by the gain")
    private static let cosmicRays = Option.optional(
        "cosmic-rays", .choice("HOW"), implied: RayHandling.clean,
        help: "Find cosmic rays by L.A.Cosmic, and replace their pixels by those around them, or by NaN (mask)")
    private static let readNoise = Option.value(
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

    package static let spec = CommandSpec(
        name: "calibrate",
        summary: "Calibrate raw frames: overscan, bias, dark, flat, bad pixels, cosmic rays",
        examples: [
            .init(
                line: "skyfarm calibrate light/*.fits -o red/ --bias bias.fits --flat flat.fits --cosmic-rays",
                explanation: "Calibrate frames with masters of skyfarm combine."),
            .init(
                line: "skyfarm calibrate raw/ -o red/ --overscan auto --trim auto --flat flat.fits",
                explanation: "Subtract the overscan and cut it off, as the headers tell."),
        ],
        description: [
            "A calibrated pixel is (raw - overscan - bias - dark * t / t_dark) / flat, in 32-bit floats, where t are the"
                + " exposure times. After each image comes an extension with its mask, whose bits are 1 for a bad pixel,"
                + " 2 for a saturated one, 4 for a cosmic ray and 8 for one without a value; bad pixels, and those"
                + " without a value, are NaN. Coordinates and all other cards are kept, and further extensions are"
                + " copied. Docs/Calibration.md has the definition.",
            "A frame that cannot be calibrated is named with its reason and fails alone: the exit code is then 23.",
        ],
        arguments: [
            ArgumentSpec(
                name: "FRAME", help: "FITS file, folder, pattern, or @FILE with a list of names", isFile: true,
                repeats: true)
        ],
        sections: [
            OptionSection(
                title: "Output", options: [output.spec, CalibrationOptions.overwrite.spec, compress.spec]),
            OptionSection(
                title: "Calibration",
                options: [
                    overscan.spec, overscanMethod.spec, trim.spec, CalibrationOptions.bias.spec,
                    CalibrationOptions.dark.spec, CalibrationOptions.darkScale.spec, flat.spec, badPixels.spec,
                    saturation.spec, gain.spec, electrons.spec,
                ]),
            OptionSection(
                title: "Cosmic rays",
                options: [
                    cosmicRays.spec, readNoise.spec, sigclip.spec, sigfrac.spec, objlim.spec, iterations.spec,
                    medians.spec, cleantype.spec,
                ]),
            OptionSection(title: "Work", options: [CalibrationOptions.localSlots.spec]),
            CommonOptions.section,
        ],
        exitCodes: [.input, .partialCatalogue, .interrupted, .terminated])
}

extension SectionChoice {
    fileprivate static let form = ValueForm<SectionChoice>(
        placeholder: "SECTION|auto", expected: "a section such as '[2049:2080,1:4096]', or auto",
        parse: { text in
            if text == "auto" { return .automatic }
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
