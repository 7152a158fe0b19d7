import CEcho
import ScanCluster
import ScanNetwork

/// Null tasks through the coordinator and one node process, one child of the task group each. Beside it, the bare echo
/// of as many messages.
struct DispatchSuite {
    private let options: BenchmarkOptions
    private let tasks = 100_000
    private let inFlight = 1024
    /// Bytes of an echoed message: about those of a null task's frame.
    private let messageSize = 128

    init(_ options: BenchmarkOptions) { self.options = options }

    func run() async throws -> Report {
        let node = try ChildProcess(.nullNode)
        let echo = try ChildProcess(.echo)
        let socket = cecho_connect(echo.port)
        guard socket >= 0 else { throw BenchmarkError("the echo cannot be reached") }
        let farm = try await BenchmarkFarm(nodes: [node], window: inFlight)
        defer { farm.close() }
        let probe = ClusterProbe(farm.systems)
        var rate = Sample()
        var echoRate = Sample()
        // The first run warms up both processes and does not count.
        for run in -1..<options.runs {
            let tasksPerSecond = try await probe.rate(tasks: tasks)
            let echoesPerSecond = try stream(socket)
            if run < 0 { continue }
            rate.add(tasksPerSecond)
            echoRate.add(echoesPerSecond)
        }
        var report = Report(.dispatch)
        report.notes.append("\(tasks) null tasks a run, \(inFlight) in flight, through TLS")
        report.add("null tasks", "1/s", rate)
        report.add("C echo of \(messageSize) bytes", "1/s", echoRate)
        report.add("C echo / null tasks", "x", echoRate / rate)
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
