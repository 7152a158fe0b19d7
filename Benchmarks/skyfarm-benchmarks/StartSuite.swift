import Foundation
import ScanCluster

/// Time from the start of the program `skyfarm` to the first result of a scan on a running node.
struct StartSuite {
    private let options: BenchmarkOptions
    private let image: URL
    private let folder: URL
    private let program: String

    /// Starts per run.
    private static let starts = 20

    init(_ options: BenchmarkOptions) throws {
        self.options = options
        // Small, since only the time to the first result is of interest.
        (image, folder) = try BenchmarkImage.prepare(size: 512)
        program = try SkyfarmProgram.find().path
    }

    /// Times in seconds since the start of the program.
    private struct Start {
        var joined: Double
        var firstResult: Double
        var end: Double
        /// Of `skyfarm --version`.
        var versionEnd: Double
    }

    func run() throws -> Report {
        let node = try StartedProgram(
            program, ["node", "--name", "start", "--listen", "127.0.0.1:0", "--no-advertise", "--slots", "1"],
            reading: STDOUT_FILENO)
        guard let ready = node.line(with: "ready"), let address = ready.line.firstMatch(of: /127\.0\.0\.1:\d+/)?.output
        else { throw BenchmarkError("the node did not start") }
        // The first run is a warm-up.
        let runs = try (0...options.runs).map { _ in
            try (0..<Self.starts).map { _ in try start(node: String(address)) }
        }.dropFirst()
        var report = Report(.start)
        report.notes.append("\(Self.starts) starts a run, each a scan of 512 x 512 pixels in 2 bands with a journal")
        func add(_ name: String, _ share: Double, _ value: (Start) -> Double) {
            report.add(name, "ms", Sample(runs.map { Sample($0.map(value)).quantile(share) * 1e3 }))
        }
        add("first result, p50", 0.5, \.firstResult)
        add("first result, p95", 0.95, \.firstResult)
        add("node joined, p50", 0.5, \.joined)
        add("end of the program, p50", 0.5, \.end)
        add("skyfarm --version, p50", 0.5, \.versionEnd)
        return report
    }

    private func start(node: String) throws -> Start {
        let version = try StartedProgram(program, ["--version"], reading: STDOUT_FILENO).finish()
        let scan = try StartedProgram(
            program,
            ["scan", image.path, "-o", folder.appending(path: "start.fits").path, "--overwrite"]
                + ["--node", node, "--no-discovery", "--local-slots", "0", "--progress", "json"],
            reading: STDERR_FILENO, environment: ["XDG_STATE_HOME": folder.appending(path: "state").path])
        guard let joined = scan.line(with: #""event":"joined""#), let first = scan.line(with: #""event":"finished""#)
        else { throw BenchmarkError("the scan produced no result") }
        return Start(joined: joined.seconds, firstResult: first.seconds, end: try scan.finish(), versionEnd: version)
    }
}
