import CEcho
import ScanCluster
import ScanNetwork

/// Null tasks per second through a coordinator and one node process: one child of the task group per task, with and
/// without TLS and time-outs; and in chunks. For comparison, a bare echo of messages and other task schedulers.
struct DispatchSuite {
    private let options: BenchmarkOptions
    private let tasks = 100_000
    private let inFlight = 1024
    private let chunk = 64
    /// Bytes of an echoed message, about the size of a null task's frame.
    private let messageSize = 128

    init(_ options: BenchmarkOptions) { self.options = options }

    func run() async throws -> Report {
        let node = try ChildProcess(.nullNode)
        let clearNode = try ChildProcess(.clearNullNode)
        let echo = try ChildProcess(.echo)
        let socket = cecho_connect(echo.port)
        guard socket >= 0 else { throw BenchmarkError("the echo cannot be reached") }
        let cluster = try await BenchmarkCluster(nodes: [node], depth: inFlight)
        defer { cluster.close() }
        let clearCluster = try await BenchmarkCluster(nodes: [clearNode], depth: inFlight, sessions: .clear)
        defer { clearCluster.close() }
        let variants: [(name: String, rate: () async throws -> Double)] = [
            ("null tasks", { try await cluster.rate(tasks: tasks) }),
            ("null tasks, bare TCP", { try await clearCluster.rate(tasks: tasks) }),
            ("null tasks, time-out", { try await cluster.rate(tasks: tasks, timeout: .seconds(30)) }),
            ("null tasks, time-out, bare TCP", { try await clearCluster.rate(tasks: tasks, timeout: .seconds(30)) }),
            (
                "null tasks, in chunks of up to \(chunk)",
                { try await cluster.rate(tasks: tasks * 10, inChunksOf: chunk) }
            ),
            ("C echo of \(messageSize) bytes", { try stream(socket) }),
        ]
        var rates = variants.map { _ in Sample() }
        var peers = options.peers ? PeerSchedulers() : nil
        // The first run is a warm-up.
        for run in -1..<options.runs {
            for (index, variant) in variants.enumerated() {
                let rate = try await variant.rate()
                if run >= 0 { rates[index].add(rate) }
            }
            try peers?.run(counts: run >= 0)
        }
        let (single, chunked, echoes) = (rates[0], rates[4], rates[5])
        var report = Report(.dispatch)
        report.notes.append(
            "\(tasks) null tasks a run (\(tasks * 10) in chunks), \(inFlight) in flight;"
                + " one node of one slot, through TLS unless stated")
        for (variant, rate) in zip(variants, rates) { report.add(variant.name, "1/s", rate) }
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
