package import CommandLineKit
import Console
import ImageScanning
import ScanBasics
package import SkySynthetic

/// `skyfarm synth` writes a synthetic image and a table of its true sources, or compares a catalogue with such a table.
package struct SynthCommand: Command {
    package let options: Options

    init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        switch options.work {
        case .make(let making): try make(making)
        case .makeNight(let making): try makeNight(making)
        case .check(let checking): try check(checking)
        }
    }
}

extension SynthCommand {
    private func make(_ making: Options.Making) throws -> ExitCode {
        let display = ProgressDisplay(options.common, options.log)
        let interrupts = Interrupts(beforeExit: display.abandon)
        defer { display.finish() }
        do {
            let sky = SyntheticSky(making.parameters)
            try write(sky, making, display, interrupts)
            display.finish()
            try report(sky, making)
            return .complete
        } catch is CancellationError {
            // Incomplete files have already been removed.
            throw CommandError(interrupts.received?.exitCode ?? .interrupted, "synth: stopped; nothing was written")
        }
    }

    /// Writes the image and the true sources under temporary names, and renames both files when they are complete.
    private func write(
        _ sky: SyntheticSky, _ making: Options.Making, _ display: ProgressDisplay, _ interrupts: Interrupts
    ) throws {
        let (width, height) = (making.parameters.width, making.parameters.height)
        let truth = try making.truth.map { try AtomicFile(path: $0, overwrite: making.overwrite) }
        if let truth {
            try truth.write(SyntheticTruth.header.utf8)
            for source in sky.sources { try truth.write(SyntheticTruth.line(source, of: sky).utf8) }
        }
        let rows = SyntheticSky.stripHeight
        display.handle(.began(pixels: width * height, work: Double(width * height)))
        display.handle(.stage("synth"))
        display.handle(.planned(tasks: (height + rows - 1) / rows, work: Double(width * height)))
        try sky.write(
            to: making.output, type: making.type == .f32 ? .float32 : .uint16,
            history: ["made by skyfarm synth \(Software.version)"], overwrite: making.overwrite
        ) { pixels in
            try interrupts.check()
            display.handle(.finished(work: Double(pixels), system: ScanEvents.localName))
        }
        try truth?.commit()
    }

    private func report(_ sky: SyntheticSky, _ making: Options.Making) throws {
        let parameters = making.parameters
        if options.common.json {
            let report = MakingReport(
                image: making.output, truth: making.truth, width: parameters.width, height: parameters.height,
                seed: parameters.seed, sources: sky.sources.count)
            try StandardOutput.write(JSONOutput.document(report))
        } else if !options.common.quiet {
            let size = "\(parameters.width) x \(parameters.height) pixels"
            let count = HumanFormat.count(sky.sources.count, "source")
            StandardError.write("\(making.output): \(size), \(count), seed \(parameters.seed)\n")
        }
    }

    private struct MakingReport: Encodable {
        var v = 1
        var image: String
        var truth: String?
        var width: Int
        var height: Int
        var seed: UInt64
        var sources: Int
    }
}

extension SynthCommand {
    private func check(_ checking: Options.Checking) throws -> ExitCode {
        let result = Completeness(
            truth: try readText(checking.truth, Completeness.Position.read),
            catalogue: try readText(checking.catalogue, Completeness.Position.read), radius: checking.radius,
            minimum: checking.sigma)
        let text =
            options.common.json
            ? try JSONOutput.document(CheckReport(result)) : Self.line(result, sigma: checking.sigma)
        try StandardOutput.write(text)
        if let minimum = checking.minimum, result.share < minimum { return .failure }
        return .complete
    }

    /// Returns the comparison in one line.
    package static func line(_ result: Completeness, sigma: Double) -> String {
        let share = HumanFormat.percent(result.share, digits: 2)
        let spurious = HumanFormat.percent(result.spuriousShare, digits: 2)
        return "completeness \(share): \(result.recovered) of \(result.expected) sources brighter than"
            + " \(plainText(sigma)) sigma recovered; spurious \(spurious): \(result.spurious) of \(result.detected)\n"
    }

    private struct CheckReport: Encodable {
        var v = 1
        var completeness: Double
        var spuriousShare: Double
        var counts: Completeness

        init(_ result: Completeness) {
            (completeness, spuriousShare, counts) = (result.share, result.spuriousShare, result)
        }
    }
}
