import Foundation
import ScanCluster
import ScanNetwork
import ScanSecurity

/// How three coordinators of weights 1, 1 and 2 share the slots of two nodes, without and beside a fourth one of weight 1
/// that was stopped while its tasks were at the node.
struct ShareSuite {
    private let options: BenchmarkOptions
    private let weights = [1.0, 1, 2]
    private let nodeCount = 2
    private let warmUp = Duration.seconds(1)
    private let measured = Duration.seconds(4)

    init(_ options: BenchmarkOptions) { self.options = options }

    func run() async throws -> Report {
        let (alone, beside) = (Shares(weights.count), Shares(weights.count))
        for run in -1..<options.runs {
            for (hasStopped, shares) in [(false, alone), (true, beside)] {
                let tally = try await measure(hasStopped: hasStopped)
                if run >= 0 { shares.add(tally) }
            }
        }
        var report = Report(.share)
        report.notes.append(
            "\(nodeCount) nodes of \(ShareNap.slots) slots, naps of \(ShareNap.milliseconds) ms; \(measured) a run, after \(warmUp)"
        )
        for (index, weight) in weights.enumerated() {
            report.add(
                "coordinator \(index + 1), weight \(Int(weight)): share of the slots' time", "%", alone.parts[index])
        }
        report.add("tasks of the three", "1/s", alone.rate)
        for (index, weight) in weights.enumerated() {
            report.add("beside a stopped one, weight \(Int(weight))", "%", beside.parts[index])
        }
        report.add("tasks of the three, beside a stopped one", "1/s", beside.rate)
        report.add("beside a stopped one / without", "x", beside.rate / alone.rate)
        report.add("longest time without a result of one of the three", "ms", alone.gap)
        report.add("beside a stopped one", "ms", beside.gap)
        return report
    }

    private func measure(hasStopped: Bool) async throws -> Tally {
        let nodes = try (0..<nodeCount).map { _ in try ChildProcess(.napNode) }
        let addresses = nodes.map(\.address)
        let stopped = hasStopped ? try ChildProcess(.napCoordinator, argument: addresses.joined(separator: ",")) : nil
        // It has had a result: its tasks are at the nodes.
        stopped?.stop()
        let tally = Locked(Tally(weights.count))
        let jobs = weights.enumerated().map { index, weight in
            Task {
                try await ShareNap.run(at: addresses, weight: weight) { seconds in
                    tally.withLock { $0.add(index, seconds: seconds, at: .now) }
                }
            }
        }
        try await Task.sleep(for: warmUp)
        tally.withLock { $0 = Tally(weights.count, at: .now) }
        try await Task.sleep(for: measured)
        let result = tally.withLock {
            $0.end(at: .now)
            return $0
        }
        for job in jobs {
            job.cancel()
            do { try await job.value } catch let error as ScanError where error.code == .cancelled {}
        }
        // Child processes end with these.
        withExtendedLifetime((nodes, stopped)) {}
        return result
    }

    /// What the coordinators had in one run.
    private struct Tally {
        var seconds: [Double]
        var count = 0
        var duration = 0.0
        var longest = Duration.zero
        private let start: ContinuousClock.Instant
        private var latest: [ContinuousClock.Instant]

        init(_ coordinators: Int, at now: ContinuousClock.Instant = .now) {
            seconds = Array(repeating: 0, count: coordinators)
            (start, latest) = (now, Array(repeating: now, count: coordinators))
        }

        mutating func add(_ index: Int, seconds: Double, at now: ContinuousClock.Instant) {
            self.seconds[index] += seconds
            count += 1
            longest = max(longest, now - latest[index])
            latest[index] = now
        }

        mutating func end(at now: ContinuousClock.Instant) {
            duration = (now - start) / .seconds(1)
            longest = max(longest, latest.map { now - $0 }.max() ?? .zero)
        }
    }

    /// The measurements of all runs.
    private final class Shares {
        var parts: [Sample]
        var rate = Sample()
        var gap = Sample()

        init(_ coordinators: Int) { parts = Array(repeating: Sample(), count: coordinators) }

        func add(_ tally: Tally) {
            let whole = tally.seconds.reduce(0, +)
            for (index, seconds) in tally.seconds.enumerated() { parts[index].add(100 * seconds / whole) }
            rate.add(Double(tally.count) / tally.duration)
            gap.add(tally.longest / .milliseconds(1))
        }
    }
}

/// Holds its slot for some milliseconds, and uses no processor.
struct ShareNap: ScanTask {
    static let typeName = "skyfarm-benchmarks.nap/1"
    static let milliseconds = 5
    static let slots = 2

    /// More than the slots can do in the time of a run.
    private static let count = 100_000

    var id: Int

    func scan(_ context: ScanContext) -> Int {
        usleep(UInt32(Self.milliseconds) * 1000)
        return id
    }

    /// Runs naps at the nodes until the task is cancelled; `onResult` gets the seconds that each took.
    static func run(at addresses: [String], weight: Double, onResult: (Double) -> Void) async throws {
        let systems = Systems(clock: EventLoop.shared)
        var options = RemoteNodes.Options()
        options.weight = weight
        let nodes = RemoteNodes(addresses, keys: try KeyStore.user().ring(), systems: systems, options: options)
        nodes.start()
        defer { nodes.close() }
        _ = await nodes.settled()
        let coordinator = ScanCoordinator(systems: systems, clock: EventLoop.shared, executor: EventLoop.shared)
        for try await response in coordinator.responses(to: (0..<count).map(ShareNap.init)) {
            _ = try response.get()
            onResult(response.seconds)
        }
    }
}
