import ScanCluster
import ScanNetwork

/// What a task costs the coordinator in a small cluster and in a large one: the real scheduler with nodes that exist in
/// memory only and answer at once.
struct ScaleSuite {
    private let options: BenchmarkOptions
    private let tasks = 1_000_000
    private let streamed = 10_000_000
    /// Most attempts in flight, the same however many nodes share them.
    private let inFlight = 2000

    init(_ options: BenchmarkOptions) { self.options = options }

    func run() async throws -> Report {
        let sizes = [1, 10, 100, 1000]
        var times = sizes.map { _ in Sample() }
        // The first run warms up and does not count.
        for run in -1..<options.runs {
            for (index, nodes) in sizes.enumerated() {
                let seconds = try await time(tasks: run < 0 ? tasks / 10 : tasks, nodes: nodes)
                if run >= 0 { times[index].add(seconds / Double(tasks) * 1e6) }
            }
        }
        let before = Usage.mostMemory
        let seconds = try await time(tasks: streamed, nodes: 1000)
        let growth = Usage.mostMemory - before
        var report = Report(.scale)
        report.notes.append("\(tasks) tasks a run, \(inFlight) in flight; nodes in memory that answer at once")
        for (nodes, time) in zip(sizes, times) { report.add("\(nodes) nodes, per task", "us", time) }
        for (nodes, time) in zip(sizes, times).dropFirst() {
            report.add("\(nodes) nodes / 1 node", "x", time / times[0])
        }
        report.add(
            "\(streamed) tasks streamed over 1000 nodes, per task", "us", Sample([seconds / Double(streamed) * 1e6]))
        report.add("memory it took more than the runs before", "bytes/task", Sample([growth / Double(streamed)]))
        return report
    }

    /// Farms out one job.
    /// - Returns: seconds.
    private func time(tasks: Int, nodes: Int) async throws -> Double {
        let loop = EventLoop.shared
        let systems = Systems(clock: loop)
        for number in 0..<nodes {
            systems.join(
                ScanSystem(
                    remote: MemoryTransport(loop), id: SystemID(high: 1, low: UInt64(number)), name: "node-\(number)",
                    slots: inFlight / nodes / 2, window: inFlight / nodes, clock: loop, executor: loop))
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

/// The way to a node that answers every task at once, with what a null task has for an output.
private final class MemoryTransport: ScanTransport, @unchecked Sendable {
    // Sendable: touched only on the loop's thread.
    private let loop: EventLoop
    private var serial: UInt64 = 0

    init(_ loop: EventLoop) { self.loop = loop }

    func holds(_ key: BulkKey) -> Bool { false }

    func start(_ attempt: Attempt, completion: @escaping @Sendable (AttemptReply) -> Void) -> AttemptHandle {
        serial += 1
        loop.execute { completion(.output(PlainOutput(0), seconds: 1e-3)) }
        return AttemptHandle(rawValue: serial)
    }

    func cancel(_ handle: AttemptHandle) {}

    func close() {}
}
