import CEcho
import Foundation
import ScanBasics

/// Runs of a program that does nothing: `skyfarm map` on a node of one slot, beside the least that they can take.
struct MapSuite {
    private let options: BenchmarkOptions
    private let folder: URL
    private let program: String

    /// Runs of the program in a round.
    private static let count = 2000
    private static let nothing = "/usr/bin/true"
    private static let parallel = "/usr/bin/parallel"

    init(_ options: BenchmarkOptions) throws {
        self.options = options
        program = try SkyfarmProgram.find().path
        folder = FileManager.default.temporaryDirectory.appending(path: "skyfarm-benchmarks-map")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let lines = (1...Self.count).map { "\($0)\n" }.joined()
        try Data(lines.utf8).write(to: folder.appending(path: "items"))
    }

    func run() throws -> Report {
        let node = try StartedProgram(
            program,
            ["node", "--name", "map", "--listen", "127.0.0.1:0", "--no-advertise", "--slots", "1"]
                + ["--program", "nothing=\(Self.nothing)"],
            reading: STDOUT_FILENO)
        guard let ready = node.line(with: "ready"), let address = ready.line.firstMatch(of: /127\.0\.0\.1:\d+/)?.output
        else { throw BenchmarkError("the node did not start") }
        let hasParallel = options.peers && FileManager.default.isExecutableFile(atPath: Self.parallel)
        var (loop, map, peer): ([Double], [Double], [Double]) = ([], [], [])
        // The first round is a warm-up.
        for round in 0...options.runs {
            let seconds = (try spawnLoop(), try mapItems(on: String(address)), hasParallel ? try runParallel() : nil)
            guard round > 0 else { continue }
            loop.append(seconds.0)
            map.append(seconds.1)
            if let third = seconds.2 { peer.append(third) }
        }
        var report = Report(.map)
        report.notes.append("\(Self.count) runs of \(Self.nothing) in a round, one at a time")
        let count = Double(Self.count)
        report.add("posix_spawn and wait in C", "runs/s", Sample(loop.map { count / $0 }))
        report.add("skyfarm map, one slot", "runs/s", Sample(map.map { count / $0 }))
        report.add("skyfarm map / posix_spawn", "", Sample(zip(loop, map).map { $0 / $1 }))
        if hasParallel {
            report.add("GNU parallel", "runs/s", Sample(peer.map { count / $0 }))
            report.add("skyfarm map / GNU parallel", "", Sample(zip(peer, map).map { $0 / $1 }))
        }
        return report
    }

    private func spawnLoop() throws -> Double {
        let start = ContinuousClock.now
        guard cecho_spawn_loop(Self.nothing, Self.count) == 0 else {
            throw BenchmarkError("\(Self.nothing) cannot be run")
        }
        return (ContinuousClock.now - start) / .seconds(1)
    }

    private func mapItems(on address: String) throws -> Double {
        try StartedProgram(
            program,
            ["map", "nothing", "-o", "-", "--items", folder.appending(path: "items").path, "--node", address]
                + ["--no-discovery", "--quiet"],
            reading: STDOUT_FILENO
        ).finish()
    }

    private func runParallel() throws -> Double {
        try StartedProgram(
            Self.parallel,
            ["--jobs", "1", "--ungroup", "--max-args", "0", "--arg-file", folder.appending(path: "items").path]
                + [Self.nothing],
            reading: STDOUT_FILENO
        ).finish()
    }
}
