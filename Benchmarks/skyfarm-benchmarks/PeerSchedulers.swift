import ScanCluster

/// Results of the other task schedulers, round by round.
struct PeerSchedulers {
    private var rates: [String: Sample] = [:]
    private var versions: [String: String] = [:]
    private var missing: [String] = []

    /// Runs each installed scheduler once; `counts` is false in the warm-up round.
    mutating func run(counts: Bool) throws {
        for peer in PeerScheduler.all where !missing.contains(peer.name) {
            do {
                let run = try peer.run()
                versions[peer.name] = run.version
                if counts { rates[peer.name, default: Sample()].add(Double(run.tasks) / run.seconds) }
            } catch is PeerProgram.NotInstalled {
                missing.append(peer.name)
            }
        }
    }

    /// Adds their rates, and two ratios: null tasks to the fastest scheduler that tracks tasks, and null tasks in chunks to
    /// the pipeline.
    func add(to report: inout Report, single: Sample, chunked: Sample) {
        let installed = PeerScheduler.all.filter { rates[$0.name] != nil }
        func rate(_ name: String) -> Sample { rates[name] ?? Sample() }
        if !installed.isEmpty {
            let names = installed.map { "\($0.name) \(versions[$0.name] ?? "")" }
            report.notes.append("others, one worker of one slot each: \(names.joined(separator: ", "))")
        }
        if !missing.isEmpty {
            report.notes.append(
                "not installed: \(missing.joined(separator: ", ")); \(PeerProgram.installer) installs them")
        }
        for peer in installed { report.add(peer.name, "1/s", rate(peer.name)) }
        let tracking = installed.filter(\.isTracking).map(\.name)
        if let fastest = tracking.max(by: { rate($0).median < rate($1).median }) {
            report.add("null tasks / \(fastest)", "x", single / rate(fastest))
        }
        for name in [PeerScheduler.zeroMQ, PeerScheduler.zeroMQInC] {
            if let pipeline = rates[name] { report.add("in chunks / \(name)", "x", chunked / pipeline) }
        }
    }
}
