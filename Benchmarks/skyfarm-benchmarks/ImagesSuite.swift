import Foundation
import ScanCluster

/// Whole programs on given images, one slot each: `skyfarm scan` with its journal (the default) and without,
/// source-extractor, and SEP in Python.
struct ImagesSuite {
    private let options: BenchmarkOptions
    private let folder: URL
    private let program: String

    private static let skyfarm = "skyfarm scan"
    private static let withoutJournal = "skyfarm scan --no-journal"
    private static let sourceExtractor = "source-extractor"
    private static let pythonSEP = "python3-sep"

    init(_ options: BenchmarkOptions) throws {
        self.options = options
        folder = FileManager.default.temporaryDirectory.appending(path: "skyfarm-benchmarks-images-\(getpid())")
        program = try SkyfarmProgram.find().path
    }

    func run() throws -> Report {
        try folder.makeEmptyFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var report = Report(.images)
        report.notes.append("one slot, \(options.runs) runs, alternating; files in the page cache")
        for file in options.files { try measure(URL(filePath: file), &report) }
        return report
    }

    private func measure(_ image: URL, _ report: inout Report) throws {
        let peers = Peers(image, folder)
        var variants: [(name: String, run: () throws -> (seconds: Double, sources: Int))] = [
            (Self.skyfarm, { try scan(image, hasJournal: true) }),
            (Self.withoutJournal, { try scan(image, hasJournal: false) }),
        ]
        if options.peers {
            variants.insert((Self.sourceExtractor, { try peers.sourceExtractor() }), at: 0)
            variants.append((Self.pythonSEP, { try peers.wholeImageSEP() }))
        }
        var (times, sources, failed): ([String: Sample], [String: Int], Set<String>) = ([:], [:], [])
        // The first round is a warm-up.
        for round in -1..<options.runs {
            for variant in round % 2 == 0 ? variants : variants.reversed() where !failed.contains(variant.name) {
                do {
                    let result = try variant.run()
                    if round >= 0 { times[variant.name, default: Sample()].add(result.seconds) }
                    sources[variant.name] = result.sources
                } catch let error as BenchmarkError where variant.name != Self.skyfarm {
                    failed.insert(variant.name)
                    report.notes.append("\(image.lastPathComponent): \(error)")
                }
            }
        }
        let names = variants.map(\.name).filter { times[$0] != nil }
        let counts = names.map { "\($0) \(sources[$0] ?? 0)" }.joined(separator: ", ")
        report.notes.append("\(image.lastPathComponent): sources: \(counts)")
        for name in names {
            guard let time = times[name], let own = times[Self.skyfarm] else { continue }
            report.add("\(image.lastPathComponent): \(name)", "s", time)
            if name != Self.skyfarm {
                report.add("\(image.lastPathComponent): \(name) / \(Self.skyfarm)", "x", time / own)
            }
        }
    }

    /// Runs the program, from the start to the end of its process.
    private func scan(_ image: URL, hasJournal: Bool) throws -> (seconds: Double, sources: Int) {
        struct Result: Decodable { var sources: Int }
        let (state, catalogue) = (folder.appending(path: "state"), folder.appending(path: "skyfarm.fits"))
        for old in [state, catalogue] { try? FileManager.default.removeItem(at: old) }
        let run = try MeasuredProgram.run(
            program,
            ["scan", image.path, "-o", catalogue.path, "--json", "--quiet", "--no-discovery", "--local-slots", "1"]
                + (hasJournal ? [] : ["--no-journal"]),
            in: folder, environment: ["XDG_STATE_HOME": state.path])
        return (run.usage.seconds, try JSONDecoder().decode(Result.self, from: Data(contentsOf: run.output)).sources)
    }
}
