import ScanCluster
import ScanNetwork

/// The coordinator's cost per task in small and large clusters: the real scheduler with simulated nodes that answer at
/// once.
struct ScaleSuite {
    private let options: BenchmarkOptions
    private let tasks = 1_000_000
    private let streamed = 10_000_000
    /// Most attempts in flight, over all nodes.
    private let inFlight = 2000

    init(_ options: BenchmarkOptions) { self.options = options }

    func run() async throws -> Report {
        let sizes = [1, 10, 100, 1000]
        var times = sizes.map { _ in Sample() }
        // The first run is a warm-up.
        for run in -1..<options.runs {
            for (index, nodes) in sizes.enumerated() {
                let seconds = try await time(tasks: run < 0 ? tasks / 10 : tasks, nodes: nodes)
                if run >= 0 { times[index].add(seconds / Double(tasks) * 1e6) }
            }
        }
        let before = Usage.peakMemory
        let seconds = try await time(tasks: streamed, nodes: 1000)
        let growth = Usage.peakMemory - before
        var report = Report(.scale)
        report.notes.append("\(tasks) tasks a run, \(inFlight) in flight; simulated nodes that answer at once")
        for (nodes, time) in zip(sizes, times) { report.add("\(nodes) nodes, per task", "us", time) }
        for (nodes, time) in zip(sizes, times).dropFirst() {
            report.add("\(nodes) nodes / 1 node", "x", time / times[0])
        }
        report.add(
            "\(streamed) tasks streamed over 1000 nodes, per task", "us", Sample([seconds / Double(streamed) * 1e6]))
        report.add("growth of memory", "bytes/task", Sample([growth / Double(streamed)]))
        return report
    }

    /// Runs null tasks on `nodes` simulated nodes.
    /// - Returns: the duration in seconds.
    private func time(tasks: Int, nodes: Int) async throws -> Double {
        let loop = EventLoop.shared
        let systems = Systems(clock: loop)
        for number in 0..<nodes {
            systems.join(
                ScanSystem(
                    remote: MemoryTransport(loop), id: SystemID(high: 1, low: UInt64(number)), name: "node-\(number)",
                    slots: inFlight / nodes / 2, depth: inFlight / nodes, clock: loop, executor: loop))
        }
        let coordinator = ScanCoordinator(systems: systems, clock: loop, executor: loop)
        return try await withTaskExecutorPreference(loop) {
            let start = loop.now
            for try await response in coordinator.responses(to: (0..<tasks).lazy.map(ProbeTask.init)) {
                _ = try response.get()
            }
            return loop.now.since(start).seconds
        }
    }
}

/// Transport of a simulated node that answers every task at once with a null task's output.
private final class MemoryTransport: ScanTransport, @unchecked Sendable {
    // Sendable: touched only on the loop's thread.
    private let loop: EventLoop
    private var serial: UInt64 = 0

    init(_ loop: EventLoop) { self.loop = loop }

    func start(_ attempt: AttemptRequest, completion: @escaping AttemptCompletion) -> AttemptHandle {
        serial += 1
        loop.execute { completion(.finished(seconds: 1e-3), PlainOutput(0)) }
        return AttemptHandle(rawValue: serial)
    }

    func cancel(_ handle: AttemptHandle) {}

    func close() {}
}
