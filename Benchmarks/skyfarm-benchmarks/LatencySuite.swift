import CEcho
import ScanCluster
import ScanFarm
import ScanNetwork

/// Latency of null tasks, one at a time, each a run of its own, from submission to result; against a bare echo.
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
        let cluster = try await BenchmarkCluster(nodes: [node])
        defer { cluster.close() }
        let probe = ClusterProbe(cluster.systems)
        var (task50, task99, echo50, echo99) = (Sample(), Sample(), Sample(), Sample())
        for run in -1..<options.runs {
            let task = try await probe.roundTrips(trips).map { $0 * 1e6 }
            let echo = try echoes(socket)
            if run < 0 { continue }
            task50.add(task.quantile(0.5))
            task99.add(task.quantile(0.99))
            echo50.add(echo.quantile(0.5))
            echo99.add(echo.quantile(0.99))
        }
        var report = Report(.latency)
        report.notes.append("\(trips) round trips a run, one at a time, through TLS")
        report.add("null task, p50", "us", task50)
        report.add("null task, p99", "us", task99)
        report.add("C echo, p50", "us", echo50)
        report.add("C echo, p99", "us", echo99)
        report.add("task / echo, p50", "x", task50 / echo50)
        report.add("task / echo, p99", "x", task99 / echo99)
        // The echo is several times slower on two cores than on one; the scheduler chooses for a whole run.
        report.add("task / echo's best run, p50", "x", task50.map { $0 / echo50.lowest })
        report.add("task / echo's best run, p99", "x", task99.map { $0 / echo99.lowest })
        return report
    }

    private func echoes(_ socket: Int32) throws -> Sample {
        var times = [Int64](repeating: 0, count: trips)
        guard cecho_round_trips(socket, Int32(messageSize), Int32(trips), &times) == 0 else {
            throw BenchmarkError("the echo's connection broke")
        }
        var result = Sample()
        for time in times { result.add(Double(time) / 1e3) }
        return result
    }
}
