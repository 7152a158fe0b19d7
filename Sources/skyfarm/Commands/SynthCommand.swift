import Foundation
import SkyImage

/// `skyfarm synth`: makes a sky whose truth is known, or compares a catalogue with such a truth.
struct SynthCommand: Command {
    let options: Options

    init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    func run() async throws -> ExitCode {
        switch options.work {
        case .make(let output, let truth, let type, let overwrite, let parameters):
            try make(output, truth: truth, type: type, overwrite: overwrite, parameters)
            return .complete
        case .check(let truth, let catalogue, let sigma, let radius, let minimum):
            let result = Completeness(
                truth: try Self.positions(truth), catalogue: try Self.positions(catalogue), radius: radius,
                minimum: sigma)
            try StandardOutput.write(
                options.common.json ? JSONOutput.document(CheckReport(result)) : Self.line(result, sigma: sigma))
            return minimum.map { result.share < $0 } ?? false ? .failure : .complete
        }
    }

    private func make(
        _ output: String, truth: String?, type: SampleType, overwrite: Bool, _ parameters: SyntheticSky.Parameters
    ) throws {
        let sky = SyntheticSky(parameters)
        if let truth {
            let text = SyntheticTruth.header + sky.sources.map { SyntheticTruth.line($0, of: sky) }.joined()
            try text.write(toFile: truth, atomically: true, encoding: .utf8)
        }
        throw CommandError(.failure, "synth: images cannot be written in this build")
    }

    private static func positions(_ path: String) throws(CommandError) -> [Completeness.Position] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError(.input, "\(path): cannot be read; check its name and permissions")
        }
        do {
            return try Completeness.Position.read(csv: String(decoding: data, as: UTF8.self))
        } catch {
            throw CommandError(.input, "\(path): \(error)")
        }
    }

    /// The comparison in one line.
    static func line(_ result: Completeness, sigma: Double) -> String {
        let share = String(format: "%.2f %%", result.share * 100)
        let spurious = String(format: "%.2f %%", result.spuriousShare * 100)
        return "completeness \(share): \(result.recovered) of \(result.expected) sources brighter than"
            + " \(plainText(sigma)) sigma recovered; spurious \(spurious): \(result.spurious) of \(result.detected)\n"
    }

    /// The comparison as JSON.
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
