package import CommandLineKit
package import Console
import SkySynthetic

extension SynthCommand {
    package struct Options: Equatable, Sendable {
        package var work: Work
        package var log: Log
        package var common: CommonOptions

        package enum Work: Equatable, Sendable {
            case make(Making)
            case makeNight(NightMaking)
            case check(Checking)
        }

        package struct Making: Equatable, Sendable {
            var output: String
            /// File of the true sources, or nil to write none.
            var truth: String?
            var type: SampleType
            var overwrite: Bool
            var parameters: SyntheticSky.Parameters
        }

        package struct Checking: Equatable, Sendable {
            var truth: String
            var catalogue: String
            /// Signal-to-noise ratio above which sources are expected in the catalogue.
            var sigma: Double
            /// Matching radius in pixels.
            var radius: Double
            /// Minimum completeness for success, or nil for any.
            var minimum: Double?
        }

        package init(_ arguments: Arguments) throws(UsageError) {
            common = try CommonOptions(arguments)
            log = try Log(arguments)
            let files = arguments.positionals
            if try arguments[SynthCommand.raw] {
                work = .makeNight(try SynthCommand.night(arguments))
            } else if let truth = try arguments[SynthCommand.check] {
                work = .check(
                    Checking(
                        truth: truth, catalogue: files[0], sigma: try arguments[SynthCommand.sigma],
                        radius: try arguments[SynthCommand.radius], minimum: try arguments[SynthCommand.minimum]))
            } else {
                work = .make(
                    Making(
                        output: files[0], truth: try arguments[SynthCommand.truth],
                        type: try arguments[SynthCommand.type], overwrite: try arguments[SynthCommand.overwrite],
                        parameters: try SynthCommand.parameters(arguments)))
            }
        }
    }

    enum SampleType: String, CaseIterable, Sendable { case f32, u16 }

    static func parameters(_ arguments: Arguments, defaultSize: Int = 4096) throws(UsageError)
        -> SyntheticSky.Parameters
    {
        let size = try arguments[Self.size] ?? ImageSize(width: defaultSize, height: defaultSize)
        var parameters = SyntheticSky.Parameters(width: size.width, height: size.height, seed: try arguments[seed])
        parameters.density = try arguments[density]
        parameters.galaxyShare = try arguments[galaxies]
        parameters.fwhm = try arguments[fwhm]
        parameters.zeroPoint = try arguments[zeroPoint]
        parameters.magnitudes = try arguments[magnitudes].range
        parameters.sky = try arguments[sky]
        parameters.skyGradient = try arguments[gradient]
        parameters.gain = try arguments[gain]
        parameters.readNoise = try arguments[readNoise]
        return parameters
    }

    private static let standard = SyntheticSky.Parameters(width: 4096, height: 4096)

    private static let size = Option.optional(
        "size", ImageSize.form, fallback: "4096, with --raw 2048", help: "Pixels: WIDTHxHEIGHT, or N for both")
    private static let seed = Option.value(
        "seed", .seed("S"), default: standard.seed, help: "The same seed gives the same bytes on every machine")
    static let truth = Option.optional("truth", .file(.writes), help: "Write the true sources to FILE, as CSV")
    private static let type = Option.value(
        "type", .choice("TYPE"), default: SampleType.f32, help: "Samples: 32-bit floats or unsigned 16-bit integers")
    static let overwrite = Option.toggle("overwrite", help: "Replace files that exist")
    private static let density = Option.value(
        "density", .number("N", 0...50_000), default: standard.density, help: "Sources per million pixels")
    private static let galaxies = Option.value(
        "galaxies", .number("SHARE", 0...1), default: standard.galaxyShare, help: "Share of galaxies among the sources")
    private static let fwhm = Option.value(
        "fwhm", .number("PIXELS", 1.5...20), default: standard.fwhm, help: "Full width of a star at half maximum")
    private static let zeroPoint = Option.value(
        "zero-point", .number("MAG", 0...50), default: standard.zeroPoint, help: "Magnitude of one count")
    private static let magnitudes = Option.value(
        "mag-range", MagnitudeRange.form, default: MagnitudeRange(range: standard.magnitudes),
        help: "Magnitudes of the sources")
    private static let sky = Option.value(
        "sky", .number("COUNTS", 0...50_000), default: standard.sky, help: "Level of the sky")
    private static let gradient = Option.value(
        "gradient", .number("SHARE", 0...0.9), default: standard.skyGradient,
        help: "Change of the sky across the image, as a share of its level")
    private static let gain = Option.value(
        "gain", .number("E/COUNT", 0.01...1000), default: standard.gain, help: "Electrons per count")
    private static let readNoise = Option.value(
        "read-noise", .number("ELECTRONS", 0...1000), default: standard.readNoise, help: "Read noise of a pixel")

    static let check = Option.optional(
        "check", .file(.reads, "TRUTH"),
        help: "Compare a catalogue (CSV with columns x and y) with this truth, instead of making an image")
    private static let sigma = Option.value(
        "sigma", .number("N", 0...1e6), default: 10, help: "Signal-to-noise ratio from which a source is expected")
    private static let radius = Option.value(
        "radius", .number("PIXELS", 0.01...1000), default: 3, help: "Maximum distance of a match")
    private static let minimum = Option.optional(
        "min", .number("SHARE", 0...1), help: "Exit with 1 if a smaller share of the sources is recovered")

    package static let spec = CommandSpec(
        name: "synth",
        summary: "Make a synthetic image with known sources, or check a catalogue against one",
        examples: [
            .init(
                line: "skyfarm synth sky.fits --truth truth.csv --size 4096",
                explanation: "Make an image of stars and galaxies, and a table of its sources."),
            .init(
                line: "skyfarm synth --check truth.csv sources.csv --min 0.95",
                explanation: "Print the share of the true sources that a catalogue recovers."),
            .init(
                line: "skyfarm synth --raw night/ --size 1024",
                explanation: "Make a night of raw frames: bias, dark, flat and light frames of a camera."),
        ],
        description: [
            "The image has stars and galaxies, photon noise and readout noise, and a celestial coordinate system. The"
                + " same seed gives the same bytes on every machine. Memory use does not depend on its size.",
            "With --raw, the frames of a night are made instead: those of each filter and exposure show the same"
                + " sources, with the bias, overscan, dark current, vignetting, dust, bad pixels, cosmic rays and trails of"
                + " satellites of a camera. The folder truth/ in that of the frames has the image of the clean sky and"
                + " the sources of each light frame, and tables of cosmic rays, trails and bad pixels"
                + " (Docs/Calibration.md). --sky, --zero-point and --mag-range are those of an exposure of 60 s.",
        ],
        arguments: [
            ArgumentSpec(
                name: "FILE",
                help: "The image to write, with --check the catalogue to read, with --raw the folder to write",
                isFile: true)
        ],
        sections: [
            OptionSection(
                title: "Image",
                options: [
                    size.spec, seed.spec, truth.spec, type.spec, overwrite.spec, density.spec, galaxies.spec,
                    fwhm.spec, zeroPoint.spec, magnitudes.spec, sky.spec, gradient.spec, gain.spec, readNoise.spec,
                ]),
            nightSection,
            OptionSection(title: "Comparison", options: [check.spec, sigma.spec, radius.spec, minimum.spec]),
            CommonOptions.section,
        ],
        exitCodes: [.input, .interrupted, .terminated])
}

private struct ImageSize: Sendable {
    var width: Int
    var height: Int

    static let form = ValueForm<ImageSize>(
        placeholder: "WxH", expected: "WIDTHxHEIGHT or one number, each from 1 to 100000",
        parse: { text in
            let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
            guard (1...2).contains(sides.count), sides.allSatisfy((1...100_000).contains) else { return nil }
            return ImageSize(width: sides[0], height: sides[sides.count - 1])
        }, show: { "\($0.width)x\($0.height)" })
}

/// Range of magnitudes from the brightest to the faintest.
private struct MagnitudeRange: Sendable {
    var range: ClosedRange<Double>

    static let form = ValueForm<MagnitudeRange>(
        placeholder: "FROM:TO", expected: "two magnitudes from 0 to 50, the brighter first, as in 16:24",
        parse: { text in
            let ends = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) ?? -1 }
            guard ends.count == 2, ends.allSatisfy((0...50).contains), ends[0] < ends[1] else { return nil }
            return MagnitudeRange(range: ends[0]...ends[1])
        }, show: { plainText($0.range.lowerBound) + ":" + plainText($0.range.upperBound) })
}
