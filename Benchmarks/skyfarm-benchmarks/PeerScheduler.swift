import Foundation

/// Another task scheduler, run by its driver in Benchmarks/peers: one worker with one slot on this machine, like
/// Skyfarm's node.
struct PeerScheduler {
    let name: String
    /// Whether it tracks the outcome of each task.
    let isTracking: Bool
    let driver: String
    /// Tasks of a run, which takes some seconds.
    let tasks: Int

    static let all = [
        PeerScheduler(name: "Gearman", isTracking: true, driver: "gearman_null.py", tasks: 30_000),
        PeerScheduler(name: "Ray", isTracking: true, driver: "ray_null.py", tasks: 3000),
        PeerScheduler(name: "HyperQueue", isTracking: true, driver: "hyperqueue_null.py", tasks: 1000),
        PeerScheduler(name: "Dask", isTracking: true, driver: "dask_null.py", tasks: 1000),
        PeerScheduler(name: "GNU parallel", isTracking: true, driver: "parallel_null.py", tasks: 500),
        PeerScheduler(name: zeroMQ, isTracking: false, driver: "zmq_null.py", tasks: 1_000_000),
        PeerScheduler(name: zeroMQInC, isTracking: false, driver: "zmq_c_null.py", tasks: 1_000_000),
    ]

    /// A message pipeline without a scheduler, in Python and in C.
    static let zeroMQ = "ZeroMQ"
    static let zeroMQInC = "ZeroMQ in C"

    /// A driver's result of a run.
    struct Run: Decodable {
        var tasks: Int
        var seconds: Double
        var version: String
    }

    /// Runs null tasks; the start of the scheduler's servers is not measured.
    /// - Throws: ``PeerProgram/NotInstalled``, ``BenchmarkError`` if it fails.
    func run() throws -> Run {
        let output = try PeerProgram.run(
            Self.python,
            [PeerProgram.drivers.appending(path: driver).path, "\(tasks)"],
            in: FileManager.default.temporaryDirectory)
        return try JSONDecoder().decode(Run.self, from: output)
    }

    /// The Python that has the packages from PyPI.
    static var python: String { folder.appending(path: "bin/python").path }

    /// The folder of packages that are not installed system-wide.
    private static var folder: URL {
        ProcessInfo.processInfo.environment["SKYFARM_PEERS"].map { URL(filePath: $0) }
            ?? PeerProgram.drivers.appending(path: ".installed")
    }
}
