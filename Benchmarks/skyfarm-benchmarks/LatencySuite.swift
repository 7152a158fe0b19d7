import CEcho
import ScanCluster
import ScanNetwork

/// One null task after the other, from its submission as a job to its result, against a bare echo.
struct LatencySuite {
    private let options: BenchmarkOptions
    private let trips = 1000
    private let messageSize = 128

    init(_ options: BenchmarkOptions) { self.options = options }

    func run() async throws -> Report {
        let node = try ChildProcess(.nullNode)
        let echo = try ChildProcess(.echo)
        let socket = cecho_connect(echo.port)
        guard socket >= 0 else { throw BenchmarkError("the echo cannot be reached") }
        let farm = try await BenchmarkFarm(nodes: [node], timeout: .seconds(60))
        defer { farm.close() }
        var (task50, task99, echo50, echo99) = (Measurement(), Measurement(), Measurement(), Measurement())
        for run in -1..<options.runs {
            // On the loop's thread, where the responses come in.
            let task = try await withTaskExecutorPreference(EventLoop.shared) { try await tasks(farm) }
            let echo = try echoes(socket)
            if run < 0 { continue }
            task50.add(task.quantile(0.5))
            task99.add(task.quantile(0.99))
            echo50.add(echo.quantile(0.5))
            echo99.add(echo.quantile(0.99))
        }
        var report = Report(.latency)
        report.notes.append("\(trips) round trips a run, one at a time, no TLS")
        report.add("null task, p50", "us", task50)
        report.add("null task, p99", "us", task99)
        report.add("C echo, p50", "us", echo50)
        report.add("C echo, p99", "us", echo99)
        report.add("task / echo, p50", "x", task50 / echo50)
        report.add("task / echo, p99", "x", task99 / echo99)
        return report
    }

    private func tasks(_ farm: BenchmarkFarm) async throws -> Measurement {
        var result = Measurement()
        for id in 0..<trips {
            let start = ContinuousClock.now
            for try await response in farm.coordinator.responses(to: CollectionOfOne(NullTask(id: id))) {
                _ = try response.get()
            }
            result.add((ContinuousClock.now - start).seconds * 1e6)
        }
        return result
    }

    private func echoes(_ socket: Int32) throws -> Measurement {
        var times = [Int64](repeating: 0, count: trips)
        guard cecho_round_trips(socket, Int32(messageSize), Int32(trips), &times) == 0 else {
            throw BenchmarkError("the echo's connection broke")
        }
        var result = Measurement()
        for time in times { result.add(Double(time) / 1e3) }
        return result
    }
}
