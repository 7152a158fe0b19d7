import CommandLineKit
import ScanDiscovery
import ScanNetwork
import ScanSecurity

/// Judges whether a second machine could use this one, and what to do if not. Pure.
struct Diagnosis: Sendable {
    var daemon: DiscoveryDaemon
    /// The key of this machine, or why it cannot be used.
    var key: Result<KeyFingerprint, KeyError>
    /// What was heard of the daemon when it was asked; nil if it answers.
    var discoveryError: DiscoveryError?
    var interfaces: [NetworkInterface]
    /// Nodes that are announced.
    var announced: [ClusterMembership.Finding]
    /// How it stands with the nodes that were tried.
    var states: [NodeState]
    /// Time for which nodes were looked for.
    var seconds: Double
    var time: SystemTime

    /// What was found out about one thing.
    struct Finding: Encodable, Equatable, Sendable {
        enum Verdict: String, Encodable, Sendable {
            case ok
            /// No reason why another machine could not use this one.
            case note
            case problem
        }

        /// What was looked at, in one word.
        var check: String
        var verdict: Verdict
        var text: String
        /// The next command to run.
        var next: String?
    }

    var findings: [Finding] {
        [bus, answer] + network + [clusterKey] + own + others + named + [firewall, clock]
    }

    /// Whether a second machine could use this one.
    var isUsable: Bool { !findings.contains { $0.verdict == .problem } }

    // MARK: The daemon

    private var bus: Finding {
        if case .busAbsent(let path) = daemon {
            return Finding(
                check: "bus", verdict: .problem, text: "there is no D-Bus system bus at \(path)",
                next: "sudo systemctl start dbus")
        }
        return Finding(check: "bus", verdict: .ok, text: "the system bus accepts connections")
    }

    private var answer: Finding {
        switch (daemon, discoveryError) {
        case (.listening, nil):
            return Finding(check: "daemon", verdict: .ok, text: "the discovery daemon runs and answers")
        case (.listening, .some(let error)):
            return Finding(
                check: "daemon", verdict: .problem, text: error.message, next: "sudo systemctl restart avahi-daemon")
        case (.absent, _), (.busAbsent, _):
            return Finding(
                check: "daemon", verdict: .problem,
                text: "no discovery daemon runs, so nodes are neither announced nor found",
                next: "sudo apt-get install avahi-daemon && sudo systemctl start avahi-daemon")
        }
    }

    // MARK: The network

    private var network: [Finding] {
        let useful = interfaces.filter(\.carriesDiscovery)
        if useful.isEmpty {
            return [
                Finding(
                    check: "network", verdict: .problem,
                    text: "no interface but loopback is up with an address and multicast", next: "ip address")
            ]
        }
        return useful.map { interface in
            Finding(
                check: "network", verdict: .ok,
                text: "\(interface.name) has \(interface.addresses.joined(separator: ", "))")
        }
    }

    // MARK: Nodes

    private var clusterKey: Finding {
        switch key {
        case .success(let fingerprint):
            Finding(check: "key", verdict: .ok, text: "the cluster key of this machine is \(fingerprint)")
        case .failure(let error):
            Finding(check: "key", verdict: .problem, text: error.message, next: "skyfarm key path")
        }
    }

    /// Those that were named, wherever they are.
    private var named: [Finding] {
        states.filter { $0.announcedName == nil }.map { state in
            guard let trouble = state.trouble, !state.isUsable else {
                return Finding(check: "named", verdict: .ok, text: "\(state.address) answers")
            }
            return Finding(
                check: "named", verdict: .note, text: "\(state.address) \(trouble)",
                next: state.lacksKey ? "skyfarm key import" : nil)
        }
    }

    private var own: [Finding] {
        let here = announced.filter(\.node.isOnThisMachine)
        if here.isEmpty {
            return [
                Finding(
                    check: "announced", verdict: .problem,
                    text: "no node of this machine is announced, so no other machine can use it", next: "skyfarm node")
            ]
        }
        var findings = here.map(announcement)
        // One node that works is enough.
        let answers = here.map(answer)
        let isServed = answers.contains { $0.verdict == .ok }
        findings += answers.map { answer in
            var answer = answer
            if isServed, answer.verdict == .problem { answer.verdict = .note }
            return answer
        }
        return findings
    }

    private var others: [Finding] {
        let others = announced.filter { !$0.node.isOnThisMachine }
        if others.isEmpty {
            return [
                Finding(
                    check: "heard", verdict: .note,
                    text: "no node of another machine was heard of in \(plainText(seconds)) s; start one there",
                    next: "skyfarm node")
            ]
        }
        return others.flatMap { other in
            var answer = answer(other)
            if answer.verdict == .problem { answer.verdict = .note }
            return [announcement(other), answer]
        }
    }

    private func announcement(_ finding: ClusterMembership.Finding) -> Finding {
        let place = finding.node.isOnThisMachine ? "announced" : "heard"
        let addresses = finding.node.addresses.map(\.description).joined(separator: ", ")
        let time = "after \(plainText((finding.seconds * 10).rounded() / 10)) s"
        return Finding(check: place, verdict: .ok, text: "\(finding.node.name) at \(addresses), heard \(time)")
    }

    /// Whether the node answers on the network.
    private func answer(_ finding: ClusterMembership.Finding) -> Finding {
        let name = finding.node.name
        if let obstacle = finding.obstacle {
            return Finding(
                check: "answers", verdict: .problem, text: "\(name) is not used: \(obstacle.reason)",
                next: obstacle.next
            )
        }
        let addresses = Set(finding.node.addresses.map(\.description))
        let state = states.first { state in
            state.node.map { $0.identity == finding.node.advertisement.id } ?? false
                || addresses.contains(state.address)
        }
        guard let state, state.status != .connecting else {
            return Finding(
                check: "answers", verdict: .problem, text: "\(name) has not answered yet",
                next: "skyfarm doctor --wait 10")
        }
        if let trouble = state.trouble, !state.isUsable {
            let port = finding.node.addresses.first?.port ?? 0
            let remedy = finding.node.isOnThisMachine ? "skyfarm node --listen :\(port)" : "sudo ufw allow \(port)/tcp"
            return Finding(
                check: "answers", verdict: .problem, text: "\(name) \(trouble)",
                next: state.lacksKey ? "skyfarm key import" : remedy)
        }
        if finding.node.isOnThisMachine, isLoopback(state.address) {
            return Finding(
                check: "answers", verdict: .problem,
                text: "\(name) answers at \(state.address) only, which no other machine reaches",
                next: "skyfarm node --listen :0")
        }
        return Finding(check: "answers", verdict: .ok, text: "\(name) answers at \(state.address)")
    }

    private func isLoopback(_ address: String) -> Bool {
        HostAndPort(address).flatMap { HostAddress($0.host) }?.isLoopback ?? false
    }

    // MARK: What cannot be seen from here

    private var firewall: Finding {
        let ports = announced.filter(\.node.isOnThisMachine).compactMap { $0.node.addresses.first?.port }
        let tcp = ports.isEmpty ? "the node's TCP port" : "TCP port " + ports.map { "\($0)" }.joined(separator: ", ")
        return Finding(
            check: "firewall", verdict: .note,
            text: "cannot be seen from this machine; it must let in UDP port 5353 and \(tcp)",
            next: "sudo nft list ruleset")
    }

    private var clock: Finding {
        switch time.isSynchronized {
        case true?: Finding(check: "clock", verdict: .ok, text: "\(time.text), kept by the network")
        case false?:
            Finding(
                check: "clock", verdict: .note, text: "\(time.text), not kept by the network; logs may not match",
                next: "sudo timedatectl set-ntp true")
        case nil: Finding(check: "clock", verdict: .note, text: time.text)
        }
    }
}
