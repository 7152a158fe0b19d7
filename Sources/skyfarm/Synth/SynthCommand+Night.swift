import CommandLineKit
import Console
import Foundation
import ImageScanning
import ScanBasics
import SkySynthetic

extension SynthCommand.Options {
    package struct NightMaking: Equatable, Sendable {
        var folder: String
        var overwrite: Bool
        var parameters: RawNight.Parameters
    }
}

extension SynthCommand {
    static let raw = Option.toggle("raw", help: "Make a night of raw frames, in a folder")
    private static let filters = Option.value(
        "filters", Names.form, default: Names(list: ["g", "r"]), help: "With --raw: names of the filters")
    private static let exposures = Option.value(
        "exposures", Seconds.form, default: Seconds(list: [60, 180]),
        help: "With --raw: exposure times of the light frames in seconds")
    private static let lights = Option.value(
        "lights", .integer("N", 1...1000), default: 2, help: "With --raw: light frames of each filter and exposure")
    private static let calibrations = Option.value(
        "calibrations", .integer("N", 0...1000), default: 7,
        help: "With --raw: bias frames, darks of each exposure, and flats of each filter")
    private static let rays = Option.value(
        "cosmic-rays", .number("N", 0...10_000), default: SyntheticCamera.Parameters().rayRate,
        help: "With --raw: cosmic rays per million pixels in 100 s")
    private static let trails = Option.value(
        "trails", .integer("N", 0...1000), default: 1, help: "With --raw: trails of satellites in each light frame")
    private static let trailSigma = Option.value(
        "trail-sigma", SigmaRange.form, default: SigmaRange(range: 1...10),
        help: "With --raw: brightness of a trail, per pixel on its axis, in standard deviations of the sky's noise")

    static let nightSection = OptionSection(
        title: "Raw night",
        options: [
            raw.spec, filters.spec, exposures.spec, lights.spec, calibrations.spec, rays.spec, trails.spec,
            trailSigma.spec,
        ])

    /// Reads the options of a raw night.
    /// - Throws: `UsageError` for options that do not go with it.
    static func night(_ arguments: Arguments) throws(UsageError) -> Options.NightMaking {
        if try arguments[check] != nil {
            throw UsageError("--raw makes frames, and --check makes none; give one of them")
        }
        if try arguments[truth] != nil {
            throw UsageError("--truth: the truth of a raw night is in its folder truth/; leave out --truth")
        }
        var parameters = RawNight.Parameters(sky: try Self.parameters(arguments, defaultSize: 2048))
        parameters.filters = try arguments[filters].list
        parameters.exposures = try arguments[exposures].list
        parameters.lights = try arguments[lights]
        parameters.calibrations = try arguments[calibrations]
        parameters.camera.rayRate = try arguments[rays]
        parameters.trails = try arguments[trails]
        parameters.trailSigma = try arguments[trailSigma].range
        return Options.NightMaking(
            folder: arguments.positionals[0], overwrite: try arguments[overwrite], parameters: parameters)
    }

    func makeNight(_ making: Options.NightMaking) throws -> ExitCode {
        let display = ProgressDisplay(options.common, options.log)
        let interrupts = Interrupts(beforeExit: display.abandon)
        defer { display.finish() }
        let night = RawNight(making.parameters)
        let files = RawNight.Files(folder: making.folder)
        display.handle(.began(pixels: night.work, work: Double(night.work)))
        display.handle(.stage("synth"))
        do {
            try night.write(
                to: files, history: "made by skyfarm synth \(Software.version)", overwrite: making.overwrite
            ) { pixels in
                try interrupts.check()
                display.handle(.finished(work: Double(pixels), system: ScanEvents.localName))
            }
        } catch is CancellationError {
            throw CommandError(
                interrupts.received?.exitCode ?? .interrupted,
                "synth: stopped; \(files.folder) is not complete: repeat the command with --overwrite")
        }
        display.finish()
        try report(night, files)
        return .complete
    }

    private func report(_ night: RawNight, _ files: RawNight.Files) throws {
        let sky = night.parameters.sky
        if options.common.json {
            let frames = night.frames.map { frame in
                NightReport.Frame(
                    file: files.frame(frame), kind: frame.kind.rawValue, filter: frame.filterName,
                    exposure: frame.exposure, date: frame.date,
                    clean: frame.kind == .light ? files.clean(frame) : nil,
                    truth: frame.kind == .light ? files.sources(frame) : nil)
            }
            try StandardOutput.write(
                JSONOutput.document(
                    NightReport(
                        folder: files.folder, width: sky.width, height: sky.height, seed: sky.seed,
                        badPixels: files.badPixels, cosmicRays: files.rays, trails: files.trails, frames: frames)))
        } else if !options.common.quiet {
            let count = HumanFormat.count(night.frames.count, "frame")
            let size = "\(sky.width) x \(sky.height) pixels"
            StandardError.write(
                "\(files.folder): \(count) of \(size), truth in \(files.folder)truth/, seed \(sky.seed)\n")
        }
    }

    private struct NightReport: Encodable {
        var v = 1
        var folder: String
        var width: Int
        var height: Int
        var seed: UInt64
        var badPixels: String
        var cosmicRays: String
        var trails: String
        var frames: [Frame]

        struct Frame: Encodable {
            var file: String
            var kind: String
            var filter: String?
            var exposure: Double
            var date: String
            var clean: String?
            var truth: String?
        }
    }
}

/// Names that can be part of a file's name.
private struct Names: Sendable {
    var list: [String]

    static let form = ValueForm<Names>(
        placeholder: "NAME,...", expected: "names of letters and digits, separated by commas, as in g,r,Ha",
        parse: { text in
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let areNames = names.allSatisfy { name in
                (1...16).contains(name.count) && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            }
            return areNames && Set(names).count == names.count ? Names(list: names) : nil
        }, show: { $0.list.joined(separator: ",") })
}

private struct Seconds: Sendable {
    var list: [Double]

    static let form = ValueForm<Seconds>(
        placeholder: "SECONDS,...", expected: "times from 0.1 to 100000 seconds, separated by commas, as in 30,120",
        parse: { text in
            let times = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? 0 }
            guard times.allSatisfy((0.1...100_000).contains), Set(times).count == times.count else { return nil }
            return Seconds(list: times)
        }, show: { $0.list.map(plainText).joined(separator: ",") })
}

/// Range of brightness from the faintest.
private struct SigmaRange: Sendable {
    var range: ClosedRange<Double>

    static let form = ValueForm<SigmaRange>(
        placeholder: "FROM:TO", expected: "two numbers from 0.01 to 10000, the smaller first, as in 0.5:5",
        parse: { text in
            let ends = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) ?? -1 }
            guard ends.count == 2, ends.allSatisfy((0.01...10_000).contains), ends[0] < ends[1] else { return nil }
            return SigmaRange(range: ends[0]...ends[1])
        }, show: { plainText($0.range.lowerBound) + ":" + plainText($0.range.upperBound) })
}
