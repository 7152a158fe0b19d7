import Foundation

/// Another program that farms tasks out, through its driver in Benchmarks/peers: one worker with one slot on this
/// machine, as Skyfarm's node has.
struct PeerFarm {
    let name: String
    /// Whether it knows of each task what became of it.
    let isTracking: Bool
    private let driver: String
    /// Tasks of a run: some seconds of them.
    private let tasks: Int

    static let all = [
        PeerFarm(name: "Gearman", isTracking: true, driver: "gearman_null.py", tasks: 30_000),
        PeerFarm(name: "Ray", isTracking: true, driver: "ray_null.py", tasks: 3000),
        PeerFarm(name: "HyperQueue", isTracking: true, driver: "hyperqueue_null.py", tasks: 1000),
        PeerFarm(name: "Dask", isTracking: true, driver: "dask_null.py", tasks: 1000),
        PeerFarm(name: "GNU parallel", isTracking: true, driver: "parallel_null.py", tasks: 500),
        PeerFarm(name: zeroMQ, isTracking: false, driver: "zmq_null.py", tasks: 1_000_000),
    ]

    /// A bare pipeline.
    static let zeroMQ = "ZeroMQ"

    /// What a driver tells of a run.
    struct Run: Decodable {
        var tasks: Int
        var seconds: Double
        var version: String
    }

    /// Farms out null tasks; the start of the program's servers does not count.
    /// - Throws: ``PeerProgram/NotInstalled``, ``BenchmarkError`` if it fails.
    func run() throws -> Run {
        let output = try PeerProgram.run(
            Self.folder.appending(path: "bin/python").path,
            [PeerProgram.drivers.appending(path: driver).path, "\(tasks)"],
            in: FileManager.default.temporaryDirectory)
        return try JSONDecoder().decode(Run.self, from: output)
    }

    /// Where the installer puts what is not for the whole machine.
    private static var folder: URL {
        ProcessInfo.processInfo.environment["SKYFARM_PEERS"].map { URL(filePath: $0) }
            ?? PeerProgram.drivers.appending(path: ".installed")
    }
}
