import CEcho
import Foundation
import ScanBasics

/// Runs of a program that does nothing: `skyfarm map` on a node of one slot, beside the least that they can take and other
/// programs that run programs; and a link that carries the inputs.
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

    /// Other programs that run programs, with the runs that take them some seconds.
    private static let peers = [
        PeerScheduler(name: "GNU parallel over ssh", isTracking: true, driver: "parallel_ssh_true.py", tasks: 50),
        PeerScheduler(name: "HyperQueue", isTracking: true, driver: "hyperqueue_true.py", tasks: count),
        PeerScheduler(name: "Dask with subprocess", isTracking: true, driver: "dask_true.py", tasks: count),
    ]

    /// Files of the measurement of the link, and bytes of each.
    private static let files = (count: 500, size: 4_000_000)
    private static let bitsPerSecond = 1_000_000_000

    /// Runs in the lab, on the last of its two hosts.
    func run() throws -> Report {
        guard LabHost.isInLab else { try LabHost.enter(hosts: 2, Array(CommandLine.arguments.dropFirst())) }
        defer { try? FileManager.default.removeItem(at: folder) }
        var report = Report(.map)
        report.notes.append("\(Self.count) runs of \(Self.nothing) in a round, one at a time, on this host")
        try measureRuns(&report)
        try measureLink(&report)
        return report
    }

    // MARK: Runs

    private func measureRuns(_ report: inout Report) throws {
        let node = try Node(program, slots: 1, at: "127.0.0.1", prefix: [])
        let hasParallel = options.peers && FileManager.default.isExecutableFile(atPath: Self.parallel)
        var rates: [String: Sample] = [:]
        var versions: [String: String] = [:]
        var missing: Set<String> = []
        let (loop, map) = ("posix_spawn and wait in C", "skyfarm map, one slot")
        // The first round is a warm-up.
        for round in 0...options.runs {
            func add(_ name: String, _ rate: Double) {
                if round > 0 { rates[name, default: Sample()].add(rate) }
            }
            add(loop, Double(Self.count) / (try spawnLoop()))
            add(map, Double(Self.count) / (try mapItems(on: node.address)))
            if hasParallel { add("GNU parallel, without ssh", Double(Self.count) / (try runParallel())) }
            for peer in options.peers ? Self.peers : [] where !missing.contains(peer.name) {
                do {
                    let run = try peer.run()
                    versions[peer.name] = run.version
                    add(peer.name, Double(run.tasks) / run.seconds)
                } catch is PeerProgram.NotInstalled {
                    missing.insert(peer.name)
                }
            }
        }
        let names = [loop, map, "GNU parallel, without ssh"] + Self.peers.map(\.name)
        for name in names { if let rate = rates[name] { report.add(name, "runs/s", rate) } }
        for name in names where name != map {
            if let rate = rates[name], let own = rates[map] { report.add("skyfarm map / \(name)", "x", own / rate) }
        }
        if !versions.isEmpty {
            let words = versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            report.notes.append("others, one worker of one slot each: \(words.joined(separator: ", "))")
        }
        if !missing.isEmpty {
            report.notes.append("not installed: \(missing.sorted().joined(separator: ", ")); \(PeerProgram.installer)")
        }
    }

    /// A node that runs the program that does nothing.
    private struct Node {
        let process: StartedProgram
        let address: String

        /// Starts it behind the command `prefix`.
        init(_ program: String, slots: Int, at host: String, prefix: [String]) throws {
            let words =
                prefix + [program, "node", "--name", "map", "--listen", "\(host):0", "--no-advertise"]
                + ["--slots", "\(slots)", "--program", "nothing=\(MapSuite.nothing)"]
            process = try StartedProgram(words[0], Array(words.dropFirst()), reading: STDOUT_FILENO)
            guard let ready = process.line(with: "ready"), let found = ready.line.firstMatch(of: /\d+(\.\d+){3}:\d+/)
            else { throw BenchmarkError("the node did not start") }
            address = String(found.output.0)
        }
    }

    // MARK: Link

    /// Sends files to the other host over a link of 1 Gbit/s.
    private func measureLink(_ report: inout Report) throws {
        let host = LabHost(number: 1)
        let node = try Node(program, slots: 2, at: host.address, prefix: try host.command)
        let inputs = folder.appending(path: "inputs")
        try FileManager.default.createDirectory(at: inputs, withIntermediateDirectories: true)
        // Random bytes, which cannot be compressed. Most names are links: each input travels all the same.
        for number in 0..<Self.files.count {
            let path = inputs.appending(path: "\(number).bin")
            if number < 8 {
                var generator = SystemRandomNumberGenerator()
                let words = (0..<Self.files.size / 8).map { _ in generator.next() as UInt64 }
                try words.withUnsafeBytes { try Data($0).write(to: path) }
            } else {
                try FileManager.default.linkItem(at: inputs.appending(path: "\(number % 8).bin"), to: path)
            }
        }
        var (filled, rate) = (Sample(), Sample())
        for round in 0...options.runs {
            try LabHost.limitLink(to: Self.bitsPerSecond)
            let seconds = try StartedProgram(
                program,
                ["map", "nothing", "{in}", "-o", "-", "--node", node.address, "--no-discovery", "--quiet", "--"]
                    + [inputs.path], reading: STDOUT_FILENO
            ).finish()
            guard round > 0 else { continue }
            filled.add(100 * Double(try LabHost.sentBytes()) * 8 / seconds / Double(Self.bitsPerSecond))
            rate.add(Double(Self.files.count * Self.files.size) / seconds / 1e6)
        }
        try LabHost.limitLink(to: nil)
        let words = "\(Self.files.count) inputs of \(Self.files.size / 1_000_000) MB over 1 Gbit/s"
        report.add(words, "MB/s", rate)
        report.add("\(words), link used", "%", filled)
    }

    // MARK: One round

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
