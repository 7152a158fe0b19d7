import CommandLineKit
import Console
import ScanCluster

/// The outcome of `skyfarm up` or `skyfarm down` on one host.
struct HostReport: Encodable, Equatable, Sendable {
    enum State: String, Encodable, Sendable {
        /// A node was started and takes tasks.
        case joined
        /// A node was running there already and takes tasks.
        case running
        /// The node was stopped and all its files were removed.
        case stopped
        /// There was no node to stop.
        case absent
        case failed
    }

    var host: String
    var state: State
    var node: String?
    var address: String?
    var slots: Int?
    var seconds: Double
    /// The step that failed.
    var step: String?
    /// Reason of the failure, or a note about the node.
    var reason: String?

    /// The report in one line, for users.
    var text: String {
        let time = HumanFormat.duration(seconds: seconds)
        let after = reason.map { ": \($0)" } ?? ""
        switch state {
        case .joined:
            return "\(host): \(node ?? "") joined at \(address ?? ""), \(HumanFormat.count(slots ?? 0, "slot")), after"
                + " \(time)\(after)"
        case .running: return "\(host): \(node ?? "") already runs, at \(address ?? "")\(after)"
        case .stopped: return "\(host): stopped, nothing is left"
        case .absent: return "\(host): no node of `skyfarm up` is there"
        case .failed: return "\(host): \(reason ?? "failed")"
        }
    }

    private struct Listing: Encodable {
        var v = 1
        var hosts: [HostReport]
    }

    static func document(_ reports: [HostReport]) throws -> String {
        try JSONOutput.document(Listing(hosts: reports))
    }

    static func table(_ reports: [HostReport]) -> String {
        var table = TextTable("HOST", "STATE", "NODE", "ADDRESS", "SLOTS", texts: ["STATE", "NODE", "ADDRESS"])
        for report in reports {
            table.add(
                report.host, report.state.rawValue, report.node ?? "-", report.address ?? "-",
                report.slots.map(String.init) ?? "-")
        }
        return table.text
    }

    /// Returns 0 if no host failed and 3 if all of them failed.
    static func exitCode(_ reports: [HostReport]) -> ExitCode {
        let failed = reports.filter { $0.state == .failed }.count
        return failed == 0 ? .complete : failed == reports.count ? .noUsableNode : .partialCatalogue
    }
}

extension HostReport {
    /// Creates the report of a start that took `seconds`.
    package init(_ host: String, _ outcome: HostStart.Outcome, seconds: Double) {
        self.init(host: host, state: .failed, seconds: seconds)
        switch outcome {
        case .joined(let joined, let isNew):
            (state, reason) = (isNew ? .joined : .running, joined.note)
            (node, address, slots) = (joined.name, joined.address.description, joined.slots)
        case .failed(let failure): (step, reason) = (failure.step.rawValue, failure.text(of: host))
        }
    }

    /// Creates the report of a stop from the output of ``HostScript/stop(within:)``, if there was any, and the exit of
    /// ssh.
    package init(_ host: String, stopped lines: [String], code: Int32, errors: String, seconds: Double) {
        self.init(host: host, state: .failed, seconds: seconds)
        if lines.contains("skyfarm stopped") {
            state = .stopped
        } else if lines.contains("skyfarm absent") {
            state = .absent
        } else {
            let hasAnswered = lines.contains("skyfarm failed stop")
            let failure =
                hasAnswered ? HostFailure(.stop, "").adding(errors) : HostFailure(ssh: code, errors)
            (step, reason) = (failure.step.rawValue, failure.text(of: host))
        }
    }
}
