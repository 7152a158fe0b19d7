import CEcho
import ScanCluster
import ScanNetwork

/// Null tasks through the coordinator and one node process: one child of the task group each, with and without TLS and
/// time-outs; and in chunks. Beside it, the bare echo of messages, and other programs that farm tasks out.
struct DispatchSuite {
    private let options: BenchmarkOptions
    private let tasks = 100_000
    private let inFlight = 1024
    private let chunk = 64
    /// Bytes of an echoed message: about those of a null task's frame.
    private let messageSize = 128

    init(_ options: BenchmarkOptions) { self.options = options }

    func run() async throws -> Report {
        let node = try ChildProcess(.nullNode)
        let clearNode = try ChildProcess(.clearNullNode)
        let echo = try ChildProcess(.echo)
        let socket = cecho_connect(echo.port)
        guard socket >= 0 else { throw BenchmarkError("the echo cannot be reached") }
        let farm = try await BenchmarkFarm(nodes: [node], window: inFlight)
        defer { farm.close() }
        let clearFarm = try await BenchmarkFarm(nodes: [clearNode], window: inFlight, sessions: .clear)
        defer { clearFarm.close() }
        let ways: [(name: String, rate: () async throws -> Double)] = [
            ("null tasks", { try await farm.rate(tasks: tasks) }),
            ("null tasks, bare TCP", { try await clearFarm.rate(tasks: tasks) }),
            ("null tasks, time-out", { try await farm.rate(tasks: tasks, timeout: .seconds(30)) }),
            ("null tasks, time-out, bare TCP", { try await clearFarm.rate(tasks: tasks, timeout: .seconds(30)) }),
            ("null tasks, in chunks of up to \(chunk)", { try await farm.rate(tasks: tasks * 10, inChunksOf: chunk) }),
            ("C echo of \(messageSize) bytes", { try stream(socket) }),
        ]
        var rates = ways.map { _ in Sample() }
        var peers = options.peers ? PeerFarms() : nil
        // The first run warms everything up and does not count.
        for run in -1..<options.runs {
            for (place, way) in ways.enumerated() {
                let rate = try await way.rate()
                if run >= 0 { rates[place].add(rate) }
            }
            try peers?.run(counts: run >= 0)
        }
        let (single, chunked, echoes) = (rates[0], rates[4], rates[5])
        var report = Report(.dispatch)
        report.notes.append(
            "\(tasks) null tasks a run (\(tasks * 10) in chunks), \(inFlight) in flight;"
                + " one node of one slot, through TLS unless it says otherwise")
        for (way, rate) in zip(ways, rates) { report.add(way.name, "1/s", rate) }
        report.add("C echo / null tasks", "x", echoes / single)
        peers?.add(to: &report, single: single, chunked: chunked)
        return report
    }

    private func stream(_ socket: Int32) throws -> Double {
        let messages = tasks * 10
        let start = ContinuousClock.now
        guard cecho_stream(socket, Int32(messageSize), messages, Int32(inFlight)) == 0 else {
            throw BenchmarkError("the echo's connection broke")
        }
        return Double(messages) / (ContinuousClock.now - start).seconds
    }
}
