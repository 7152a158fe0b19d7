import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity

/// The cost of TLS: null tasks and scans over TLS and over bare TCP, alternating in one build.
struct TLSSuite {
    /// TLS or clear text, with its child processes.
    private struct Side {
        let name: String
        let sessions: SessionMaker
        let nullNode: ChildProcess
        let skyNode: ChildProcess
    }
    private let options: BenchmarkOptions
    private let tasks = 100_000
    private let inFlight = 1024

    init(_ options: BenchmarkOptions) { self.options = options }

    func run() async throws -> Report {
        let sides = [
            Side(
                name: "TLS", sessions: .tls, nullNode: try ChildProcess(.nullNode), skyNode: try ChildProcess(.skyNode)),
            Side(
                name: "clear", sessions: .clear, nullNode: try ChildProcess(.clearNullNode),
                skyNode: try ChildProcess(.clearSkyNode)),
        ]
        let suite = try ScanSuite(options)
        var rates = [Sample(), Sample()]
        var scans = [Sample(), Sample()]
        // The first run is a warm-up.
        for run in -1..<options.runs {
            // The order alternates, so that a drift of the machine's speed favours neither.
            for index in run.isMultiple(of: 2) ? [0, 1] : [1, 0] {
                let rate = try await dispatch(sides[index])
                let scan = try await suite.scan(nodes: [sides[index].skyNode], sessions: sides[index].sessions)
                if run < 0 { continue }
                rates[index].add(rate)
                scans[index].add(scan.seconds)
            }
        }
        var report = Report(.tls)
        report.notes.append(
            "\(tasks) null tasks a run, \(inFlight) in flight; \(options.size) x \(options.size) pixels; one node of one slot"
        )
        for (side, rate) in zip(sides, rates) { report.add("null tasks, \(side.name)", "1/s", rate) }
        for (side, scan) in zip(sides, scans) { report.add("scan, \(side.name)", "s", scan) }
        report.add("null tasks lost to TLS", "%", (rates[0] / rates[1]).map { 100 * (1 - $0) })
        report.add("scan rate lost to TLS", "%", (scans[1] / scans[0]).map { 100 * (1 - $0) })
        return report
    }

    private func dispatch(_ side: Side) async throws -> Double {
        let cluster = try await BenchmarkCluster(nodes: [side.nullNode], depth: inFlight, sessions: side.sessions)
        defer { cluster.close() }
        let probe = ClusterProbe(cluster.systems)
        _ = try await probe.rate(tasks: tasks / 10)
        return try await probe.rate(tasks: tasks)
    }
}
