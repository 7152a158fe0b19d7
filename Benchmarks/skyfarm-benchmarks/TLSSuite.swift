import ScanCluster
import ScanNetwork
import ScanSecurity

/// What TLS costs: the same build over TLS and over bare TCP, run after run, for tasks that do nothing and for scans.
struct TLSSuite {
    /// A way to protect connections, with the child processes that speak it.
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
        // The first run warms everything up and does not count.
        for run in -1..<options.runs {
            // Who goes first changes, so that a drift of the machine's speed favours neither.
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
        let farm = try await BenchmarkFarm(nodes: [side.nullNode], window: inFlight, sessions: side.sessions)
        defer { farm.close() }
        let probe = ClusterProbe(farm.systems)
        _ = try await probe.rate(tasks: tasks / 10)
        return try await probe.rate(tasks: tasks)
    }
}
