import CommandLineKit
import Console
import ScanCluster
package import ScanDiscovery
package import ScanFarm
package import ScanNetwork
package import ScanSecurity

/// Decides whether other machines can use this one, and what to do if not. Pure.
///
/// ``DoctorCommand`` collects the observations, which are the properties. ``findings`` has the result of each check,
/// with the next command to run: the discovery daemon, the network, the cluster key, the arithmetic, announced nodes of
/// this machine and of others, named nodes, the firewall and the clock. ``isUsable`` summarises them.
package struct Diagnosis: Sendable {
    package var daemon: DiscoveryDaemon
    /// Key of this machine, or the reason why it is unusable.
    package var key: Result<KeyFingerprint, KeyError>
    /// Error of the discovery daemon, or nil if it responds.
    package var discoveryError: DiscoveryError?
    package var interfaces: [NetworkInterface]
    package var announced: [DiscoveredPeer]
    /// States of the nodes to which connections were attempted.
    package var states: [NodeState]
    /// Duration of the search for nodes in seconds.
    package var seconds: Double
    package var time: SystemTime
    /// Floating-point arithmetic of this machine.
    package var arithmetic: Arithmetic

    /// The result of one check.
    package struct Finding: Encodable, Equatable, Sendable {
        package enum Verdict: String, Encodable, Sendable {
            case ok
            /// Does not prevent other machines from using this one.
            case note
            case problem
        }

        /// Name of the check, in one word.
        package var check: String
        package var verdict: Verdict
        package var text: String
        /// Next command to run.
        package var next: String?
    }

    package var findings: [Finding] {
        [bus, answer] + network + [clusterKey, computing] + own + others + named + [firewall, clock]
    }

    /// Whether other machines can use this one.
    package var isUsable: Bool {
        announced.contains(where: \.node.isOnThisMachine) && !findings.contains { $0.verdict == .problem }
    }

    // MARK: The daemon

    private var bus: Finding {
        if case .busAbsent(let path) = daemon {
            return Finding(
                check: "bus", verdict: .problem, text: "no D-Bus system bus at \(path)",
                next: "sudo systemctl start dbus")
        }
        return Finding(check: "bus", verdict: .ok, text: "the system bus accepts connections")
    }

    private var answer: Finding {
        switch (daemon, discoveryError) {
        case (.listening, nil):
            return Finding(check: "daemon", verdict: .ok, text: "the discovery daemon is running and answers")
        case (.listening, .some(let error)):
            return Finding(
                check: "daemon", verdict: .problem, text: error.message, next: "sudo systemctl restart avahi-daemon")
        case (.absent, _), (.busAbsent, _):
            return Finding(
                check: "daemon", verdict: .problem,
                text: "no discovery daemon is running: nodes are neither announced nor found",
                next: "sudo apt-get install avahi-daemon && sudo systemctl start avahi-daemon")
        }
    }

    // MARK: The network

    private var network: [Finding] {
        let useful = interfaces.filter(\.carriesDiscovery)
        let findings = useful.map { interface in
            let addresses = interface.addresses.map(\.description).joined(separator: ", ")
            return Finding(
                check: "network", verdict: interface.isInternal ? .note : .ok,
                text: "\(interface.name) has \(addresses)"
                    + (interface.isInternal ? ", and leads to containers of this machine only" : ""))
        }
        guard useful.allSatisfy(\.isInternal) else { return findings }
        return findings + [
            Finding(
                check: "network", verdict: .problem,
                text: "no interface that leads to other machines is up with an address and multicast",
                next: "ip address")
        ]
    }

    /// Returns whether other machines may reach this one at an address.
    private func isReachable(_ address: SocketAddress) -> Bool {
        guard let host = HostAddress(address.host) else { return true }
        let inner = interfaces.filter(\.isInternal).flatMap(\.addresses)
        return !host.isLoopback && !inner.contains { $0.bytes == host.bytes }
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

    private var computing: Finding {
        Finding(
            check: "arithmetic", verdict: .ok,
            text: "the arithmetic of this machine is \(arithmetic.fingerprint), with \(arithmetic.libraries)")
    }

    /// Findings about the nodes given by `--node`.
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
            // A machine that only uses other machines needs no node.
            let text = "no node of this machine is announced"
            return [
                elsewhere.isEmpty
                    ? Finding(check: "announced", verdict: .problem, text: text, next: "skyfarm node")
                    : Finding(
                        check: "announced", verdict: .note, text: text + "; others need one to use this machine",
                        next: "skyfarm node")
            ]
        }
        var findings = here.map(announcement)
        // One working node suffices.
        let answers = here.map(answer)
        let isServed = answers.contains { $0.verdict == .ok }
        findings += answers.map { answer in
            var answer = answer
            if isServed, answer.verdict == .problem { answer.verdict = .note }
            return answer
        }
        return findings
    }

    /// Announced nodes of other machines.
    private var elsewhere: [DiscoveredPeer] { announced.filter { !$0.node.isOnThisMachine } }

    /// Whether there are other machines but their keys all differ from this machine's, so that none can be used.
    private var isForeign: Bool {
        !elsewhere.isEmpty && elsewhere.allSatisfy { lacksKey($0) }
    }

    private var others: [Finding] {
        if elsewhere.isEmpty {
            return [
                Finding(
                    check: "heard", verdict: .note,
                    text: "no node of another machine was discovered in \(plainText(seconds)) s; start one there",
                    next: "skyfarm node")
            ]
        }
        return elsewhere.flatMap { other in
            var answer = answer(other)
            if answer.verdict == .problem, !isForeign { answer.verdict = .note }
            return [announcement(other), answer]
        }
    }

    /// States whether this machine can use nodes of others, or nil if none was discovered.
    var useOfOthers: String? {
        if elsewhere.isEmpty { return nil }
        let answers = elsewhere.map { ($0.node.name, answer($0)) }
        let usable = answers.filter { $0.1.verdict == .ok }.map(\.0)
        if !usable.isEmpty { return "This machine can use \(HumanFormat.list(usable))." }
        if isForeign {
            let verb = elsewhere.count == 1 ? "has" : "have"
            return "This machine cannot use any other: "
                + "\(HumanFormat.list(elsewhere.map(\.node.name))) \(verb) another cluster key."
        }
        return "This machine cannot use any other: \(answers[0].1.text)."
    }

    private func lacksKey(_ peer: DiscoveredPeer) -> Bool {
        peer.unusableReason?.cause == .key || state(of: peer)?.lacksKey == true
    }

    private func announcement(_ peer: DiscoveredPeer) -> Finding {
        let place = peer.node.isOnThisMachine ? "announced" : "heard"
        let addresses = peer.node.addresses.map(\.description).joined(separator: ", ")
        let time = "after \(plainText((peer.seconds * 10).rounded() / 10)) s"
        return Finding(check: place, verdict: .ok, text: "\(peer.node.name) at \(addresses), heard \(time)")
    }

    /// Returns the finding whether the node answers.
    private func answer(_ peer: DiscoveredPeer) -> Finding {
        let name = peer.node.name
        if let unusable = peer.unusableReason {
            return Finding(
                check: "answers", verdict: .problem, text: "\(name) is not used: \(unusable.text)",
                next: unusable.next
            )
        }
        guard let state = state(of: peer), state.status != .connecting else {
            return Finding(
                check: "answers", verdict: .problem, text: "\(name) has not answered yet",
                next: "skyfarm doctor --wait 10")
        }
        if let trouble = state.trouble, !state.isUsable {
            let port = peer.node.addresses.first?.port ?? 0
            let remedy = peer.node.isOnThisMachine ? "skyfarm node --listen :\(port)" : "sudo ufw allow \(port)/tcp"
            return Finding(
                check: "answers", verdict: .problem, text: "\(name) \(trouble)",
                next: state.computesDifferently ? nil : state.lacksKey ? "skyfarm key import" : remedy)
        }
        if peer.node.isOnThisMachine, isLoopback(state.address) {
            return Finding(
                check: "answers", verdict: .problem,
                text: "\(name) answers at \(state.address) only, which other machines cannot reach",
                next: "skyfarm node")
        }
        if peer.node.isOnThisMachine, !peer.node.addresses.contains(where: isReachable) {
            let addresses = peer.node.addresses.map(\.description).joined(separator: ", ")
            return Finding(
                check: "answers", verdict: .problem,
                text: "\(name) is announced at \(addresses) only, which other machines cannot reach",
                next: "skyfarm node --listen ADDRESS:PORT")
        }
        return Finding(check: "answers", verdict: .ok, text: "\(name) answers at \(state.address)")
    }

    /// Returns the state of the connection to an announced node, or nil if no connection was attempted.
    private func state(of peer: DiscoveredPeer) -> NodeState? {
        let addresses = Set(peer.node.addresses.map(\.description))
        return states.first { state in
            state.node.map { $0.identity == peer.node.advertisement.id } ?? false
                || addresses.contains(state.address)
        }
    }

    private func isLoopback(_ address: String) -> Bool {
        (try? SocketAddress(parsing: address)).flatMap { HostAddress($0.host) }?.isLoopback ?? false
    }

    // MARK: Firewall and clock

    private var firewall: Finding {
        let ports = announced.filter(\.node.isOnThisMachine).compactMap { $0.node.addresses.first?.port }
        let tcp = ports.isEmpty ? "the node's TCP port" : "TCP port " + ports.map { "\($0)" }.joined(separator: ", ")
        return Finding(
            check: "firewall", verdict: .note,
            text: "not checked; it must accept UDP port 5353 and \(tcp)",
            next: "sudo nft list ruleset")
    }

    private var clock: Finding {
        switch time.isSynchronized {
        case true?: Finding(check: "clock", verdict: .ok, text: "\(time.text), synchronized")
        case false?:
            Finding(
                check: "clock", verdict: .note, text: "\(time.text), not synchronized; times in logs may not match",
                next: "sudo timedatectl set-ntp true")
        case nil: Finding(check: "clock", verdict: .note, text: time.text)
        }
    }
}
