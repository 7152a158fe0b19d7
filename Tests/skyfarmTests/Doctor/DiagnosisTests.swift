import ScanCluster
import ScanDiscovery
import ScanFarm
import ScanNetwork
import ScanSecurity
import Testing
@testable import skyfarm

@Suite("A diagnosis")
struct DiagnosisTests {
    static let id = SystemID(high: 1, low: 2)

    static func hosts(_ texts: String...) -> [HostAddress] { texts.compactMap { HostAddress($0) } }

    /// A machine without fault, on which no node was tried.
    func machine() throws -> Diagnosis {
        Diagnosis(
            daemon: .listening, key: .success(try ClusterKey.random().fingerprint),
            interfaces: [
                NetworkInterface(name: "eth0", isUp: true, hasMulticast: true, addresses: Self.hosts("10.0.0.1")),
                NetworkInterface(name: "tun0", isUp: true, hasMulticast: false, addresses: Self.hosts("10.9.0.1")),
            ],
            announced: [], states: [], seconds: 2, time: SystemTime(text: "now"),
            arithmetic: Arithmetic(fingerprint: "1f0c8e2d", libraries: "SEP 1.2.0"))
    }

    func found(_ address: String, here: Bool, reason: UnusableReason? = nil) throws -> DiscoveredPeer {
        DiscoveredPeer(
            node: DiscoveredNode(
                id: .identity(Self.id), name: "alpha", addresses: [SocketAddress(host: address, port: 4870)],
                advertisement: NodeAdvertisement(versions: nil, slots: 2, keyFingerprint: nil, id: Self.id),
                isOnThisMachine: here),
            seconds: 0.25, unusableReason: reason)
    }

    func problems(_ diagnosis: Diagnosis) -> [String] {
        diagnosis.findings.filter { $0.verdict == .problem }.map { "\($0.check): \($0.next ?? "-")" }
    }

    @Test("of a machine without a node names the command that starts one")
    func noNode() throws {
        let diagnosis = try machine()
        #expect(!diagnosis.isUsable)
        #expect(problems(diagnosis) == ["announced: skyfarm node"])
    }

    @Test("of a machine without a bus or daemon names what starts them")
    func noDaemon() throws {
        var diagnosis = try machine()
        diagnosis.daemon = .busAbsent(path: "/run/bus")
        #expect(problems(diagnosis).prefix(1) == ["bus: sudo systemctl start dbus"])
        diagnosis.daemon = .absent
        #expect(
            problems(diagnosis).first
                == "daemon: sudo apt-get install avahi-daemon && sudo systemctl start avahi-daemon")
        diagnosis.daemon = .listening
        diagnosis.discoveryError = DiscoveryError(.daemonNotAnswering, "it hangs")
        #expect(problems(diagnosis).first == "daemon: sudo systemctl restart avahi-daemon")
    }

    @Test("of a machine without a network says so")
    func noNetwork() throws {
        var diagnosis = try machine()
        diagnosis.interfaces.removeFirst()
        #expect(problems(diagnosis).first == "network: ip address")
    }

    @Test("of a node that answers is good")
    func answers() throws {
        var diagnosis = try machine()
        diagnosis.announced = [try found("10.0.0.1", here: true)]
        diagnosis.states = [.joined(at: "10.0.0.1:4870")]
        #expect(problems(diagnosis) == [])
        #expect(diagnosis.isUsable)
        #expect(
            diagnosis.findings.filter { ["announced", "answers"].contains($0.check) }.map(\.text) == [
                "alpha at 10.0.0.1:4870, heard after 0.3 s", "alpha answers at 10.0.0.1:4870",
            ])
        #expect(DoctorCommand.text(diagnosis).hasSuffix("Other machines can use this one.\n"))
    }

    @Test("of a node that answers on loopback only, or not at all, is bad")
    func unreachable() throws {
        var diagnosis = try machine()
        diagnosis.announced = [try found("127.0.0.1", here: true)]
        diagnosis.states = [.joined(at: "127.0.0.1:4870")]
        #expect(problems(diagnosis) == ["answers: skyfarm node"])
        diagnosis.states = [.failed(at: "127.0.0.1:4870")]
        #expect(problems(diagnosis) == ["answers: skyfarm node --listen :4870"])
        diagnosis.states = []
        #expect(problems(diagnosis) == ["answers: skyfarm doctor --wait 10"])
        diagnosis.announced = [
            try found("10.0.0.1", here: true, reason: .init(.version, text: "is too old", next: "skyfarm --version"))
        ]
        #expect(problems(diagnosis) == ["answers: skyfarm --version"])
    }

    @Test("of a node that is announced on a bridge of containers only is bad")
    func containers() throws {
        var diagnosis = try machine()
        diagnosis.interfaces.append(
            NetworkInterface(
                name: "docker0", isUp: true, hasMulticast: true, isInternal: true, addresses: Self.hosts("172.17.0.1")))
        diagnosis.announced = [try found("172.17.0.1", here: true)]
        diagnosis.states = [.joined(at: "172.17.0.1:4870")]
        #expect(problems(diagnosis) == ["answers: skyfarm node --listen ADDRESS:PORT"] && !diagnosis.isUsable)
        #expect(
            diagnosis.findings.contains {
                $0.text == "alpha is announced at 172.17.0.1:4870 only, which other machines cannot reach"
            })
        #expect(!DoctorCommand.text(diagnosis).contains("Other machines can use this one."))
        // With another address, at whichever it answered.
        diagnosis.announced[0].node.addresses.append(SocketAddress(host: "10.0.0.1", port: 4870))
        #expect(problems(diagnosis) == [] && diagnosis.isUsable)
        // Without another interface.
        diagnosis.interfaces.removeFirst()
        #expect(problems(diagnosis).first == "network: ip address")
    }

    @Test("of another machine's node is worth a note only")
    func others() throws {
        var diagnosis = try machine()
        diagnosis.announced = [try found("10.0.0.2", here: false)]
        diagnosis.states = [.failed(at: "10.0.0.2:4870")]
        #expect(problems(diagnosis) == [] && !diagnosis.isUsable)
        #expect(diagnosis.findings.contains { $0.verdict == .note && $0.next == "sudo ufw allow 4870/tcp" })
    }

    @Test("of nodes that do not hold the key names what helps, whether they were found or named")
    func otherKey() throws {
        var diagnosis = try machine()
        diagnosis.announced = [try found("10.0.0.2", here: false)]
        diagnosis.states = [.refused(at: "10.0.0.2:4870"), .refused(at: "10.0.0.3:4870")]
        let hints = diagnosis.findings.filter { $0.next == "skyfarm key import" }
        #expect(hints.map(\.check) == ["answers", "named", "named"])
        #expect(hints.allSatisfy { $0.text.contains("has another cluster key") })
        #expect(hints.map(\.verdict) == [.problem, .note, .note])
    }

    @Test("of a machine that discovers only nodes with another key names the key as the problem, not the missing node")
    func foreign() throws {
        var diagnosis = try machine()
        let reason = UnusableReason(.key, text: "has another cluster key", next: "skyfarm key import")
        diagnosis.announced = [try found("10.0.0.2", here: false, reason: reason)]
        #expect(problems(diagnosis) == ["answers: skyfarm key import"])
        #expect(!diagnosis.isUsable)
        let text = DoctorCommand.text(diagnosis)
        #expect(text.hasSuffix("This machine cannot use any other: alpha has another cluster key.\n"), "\(text)")
        // Another node of the same cluster shows that the key is right.
        var member = try found("10.0.0.3", here: false)
        member.node.id = .name("beta")
        member.node.name = "beta"
        diagnosis.announced.append(member)
        diagnosis.states = [.joined(at: "10.0.0.3:4870")]
        #expect(problems(diagnosis) == [])
        #expect(
            DoctorCommand.text(diagnosis).hasSuffix(
                "Other machines cannot use this one: it runs no node.\nThis machine can use beta.\n"))
    }

    @Test("of a node that computes differently shows the reason, and does not suspect the firewall")
    func otherArithmetic() throws {
        var diagnosis = try machine()
        diagnosis.announced = [try found("10.0.0.2", here: false)]
        diagnosis.states = [.different(at: "10.0.0.2:4870")]
        let finding = try #require(diagnosis.findings.first { $0.check == "answers" })
        #expect(finding.verdict == .note && finding.text == "alpha computes differently" && finding.next == nil)
        #expect(
            diagnosis.findings.contains { $0.check == "arithmetic" && $0.text.contains("1f0c8e2d, with SEP 1.2.0") })
    }

    @Test("of a machine whose key cannot be used is bad")
    func noKey() throws {
        var diagnosis = try machine()
        diagnosis.key = .failure(KeyError(.exposed, "others can use the cluster key"))
        #expect(problems(diagnosis).first == "key: skyfarm key path")
    }

    @Test("says whether the clock is kept", arguments: [(true, Diagnosis.Finding.Verdict.ok), (false, .note)])
    func clock(isSynchronized: Bool, verdict: Diagnosis.Finding.Verdict) throws {
        var diagnosis = try machine()
        diagnosis.time.isSynchronized = isSynchronized
        #expect(diagnosis.findings.last?.verdict == verdict)
    }
}

extension NodeState {
    fileprivate static func joined(at address: String) -> NodeState {
        var state = NodeState(address: address)
        state.status = .joined
        return state
    }

    fileprivate static func refused(at address: String) -> NodeState {
        var state = NodeState(address: address)
        state.status = .failed(ConnectError(.authentication, "has another cluster key"))
        return state
    }

    fileprivate static func different(at address: String) -> NodeState {
        var state = NodeState(address: address)
        state.status = .failed(ConnectError(.differentArithmetic, "computes differently"))
        return state
    }

    fileprivate static func failed(at address: String) -> NodeState {
        var state = NodeState(address: address)
        state.status = .failed(ConnectError(.unreachable, "cannot be reached"))
        return state
    }
}
