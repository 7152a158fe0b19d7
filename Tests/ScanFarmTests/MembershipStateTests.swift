import Foundation
import ScanCluster
import ScanDiscovery
import ScanFarm
import ScanNetwork
import ScanSecurity
import Testing

@Suite("Decisions of membership")
struct MembershipStateTests {
    let keys: KeyRing
    let id = SystemID(high: 1, low: 2)

    init() throws { keys = KeyRing(current: try .random()) }

    func state(needsPeers: Bool, sources: Int = 1) -> MembershipState {
        MembershipState(sourceCount: sources, keys: keys, hasLocalSystem: false, needsPeers: needsPeers)
    }

    func node(port: UInt16 = 4000, key: KeyRing? = nil, versions: ClosedRange<UInt16> = Hello.versions)
        -> DiscoveredNode
    {
        DiscoveredNode(
            id: .identity(id), name: "alpha", addresses: [SocketAddress(host: "10.0.0.1", port: port)],
            advertisement: NodeAdvertisement(
                versions: versions, slots: 2, keyFingerprint: (key ?? keys).announcement(at: .now), id: id))
    }

    var key: String { "0 \(id)" }

    func peer(port: UInt16 = 4000) -> Systems.Peer {
        Systems.Peer(
            key: key, name: "alpha", identity: id, slots: 2, addresses: [SocketAddress(host: "10.0.0.1", port: port)])
    }

    func handle(_ state: inout MembershipState, _ event: MembershipState.Event) -> [MembershipState.Action] {
        state.handle(event, seconds: 1, at: .now)
    }

    func fingerprints(_ ring: KeyRing) -> [KeyFingerprint] { [ring.current.fingerprint] }

    @Test("a peer is known only until work needs it, and dialled then with its newest addresses")
    func onDemand() {
        var state = state(needsPeers: false)
        #expect(
            handle(&state, .discovery(.found(node()), source: 0)) == [.notify(.discovered(node())), .list(peer())])
        #expect(handle(&state, .discovery(.changed(node(port: 5000)), source: 0)) == [.list(peer(port: 5000))])
        #expect(
            handle(&state, .peersNeeded)
                == [.expedite, .list(peer(port: 5000)), .dial(peer(port: 5000), keys: fingerprints(keys))])
        #expect(handle(&state, .peersNeeded).isEmpty)
    }

    @Test("a dialled peer is dialled again only when discovery offers it again")
    func again() {
        var state = state(needsPeers: true)
        let dial = [MembershipState.Action.list(peer()), .dial(peer(), keys: fingerprints(keys))]
        #expect(handle(&state, .discovery(.found(node()), source: 0)) == [.notify(.discovered(node()))] + dial)
        #expect(handle(&state, .discovery(.changed(node(port: 5000)), source: 0)) == [.list(peer(port: 5000))])
        #expect(handle(&state, .outcome(.ended, of: key)) == [.report(.ended, of: .identity(id), source: 0)])
        #expect(handle(&state, .discovery(.found(node()), source: 0)) == dial)
    }

    @Test("discovery and the user learn why a connection attempt failed")
    func failed() {
        var state = state(needsPeers: true)
        _ = handle(&state, .discovery(.found(node()), source: 0))
        #expect(
            handle(&state, .outcome(.failed(ConnectError(.unreachable, "is off")), of: key)) == [
                .report(.failed, of: .identity(id), source: 0), .notify(.unused(name: "alpha", reason: "is off")),
            ])
        #expect(handle(&state, .outcome(.connected, of: "another")).isEmpty)
    }

    @Test("an unusable node is neither listed nor dialled, and is reported once for each reason")
    func unusable() throws {
        var state = state(needsPeers: true)
        let old = node(versions: 7...9)
        let first = handle(&state, .discovery(.found(old), source: 0))
        let reason = try #require(state.peers.first?.unusableReason)
        #expect(first == [.notify(.discovered(old)), .notify(.unused(name: "alpha", reason: reason.text))])
        #expect(handle(&state, .discovery(.found(old), source: 0)).isEmpty)
        #expect(
            handle(&state, .discovery(.changed(node()), source: 0))
                == [.list(peer()), .dial(peer(), keys: fingerprints(keys))])
    }

    @Test("a node that is paused is reported and not dialled; one that the user has left out is not reported")
    func pausedOrExcluded() throws {
        var state = state(needsPeers: true)
        var paused = node()
        paused.advertisement.isPaused = true
        // It may have jobs and be shown, though it gets no task.
        var listed = peer()
        listed.isPaused = true
        #expect(
            handle(&state, .discovery(.found(paused), source: 0))
                == [
                    .notify(.discovered(paused)), .list(listed), .notify(.unused(name: "alpha", reason: "is paused")),
                ])
        #expect(state.peers.first?.unusableReason?.next == "skyfarm nodes resume alpha")
        #expect(
            handle(&state, .discovery(.changed(node()), source: 0))
                == [.list(peer()), .dial(peer(), keys: fingerprints(keys))])

        var picky = MembershipState(
            sourceCount: 1, keys: keys, hasLocalSystem: false, needsPeers: true,
            selection: NodeSelection(only: ["beta"]))
        #expect(handle(&picky, .discovery(.found(node()), source: 0)) == [.notify(.discovered(node()))])
        #expect(picky.peers.first?.unusableReason?.cause == .excluded)
    }

    @Test("a node of a list, whose name is its address, is dialled once: its own name is known after the handshake")
    func onlyOfList() throws {
        var listed = node()
        (listed.id, listed.name, listed.advertisement.id) = (.name("10.0.0.1:4000"), "10.0.0.1:4000", nil)
        func reason(_ selection: NodeSelection) -> UnusableReason? {
            UnusableReason(of: listed, keys: keys, at: .now, hasLocalSystem: false, among: selection)
        }
        #expect(reason(NodeSelection(only: ["alpha"])) == nil)
        #expect(reason(NodeSelection(excluded: ["10.0.0.1:*"]))?.cause == .excluded)
        var state = MembershipState(
            sourceCount: 1, keys: keys, hasLocalSystem: false, needsPeers: true,
            selection: NodeSelection(only: ["beta"]))
        let key = "0 10.0.0.1:4000"
        let found = handle(&state, .discovery(.found(listed), source: 0))
        #expect(found.contains { if case .dial(let peer, _) = $0 { peer.key == key } else { false } })
        // Nobody is told, and the node is not offered again.
        let error = ConnectError(.excluded, "is left out: --only names beta")
        #expect(handle(&state, .outcome(.failed(error), of: key)) == [.forget(key)])
        #expect(state.peers.first?.unusableReason?.text == error.message)
    }

    @Test("a node whose name begins like another node's whole name is not that one, whichever is discovered first")
    func wholeName() {
        func other(_ name: String, _ number: UInt64) -> DiscoveredNode {
            var other = node()
            (other.id, other.name) = (.identity(SystemID(high: number, low: 0)), name)
            other.advertisement.id = SystemID(high: number, low: 0)
            return other
        }
        let (short, long) = (other("beta", 3), other("beta-7c1e", 4))
        let longKey = "0 \(SystemID(high: 4, low: 0))"
        func used(
            _ selection: NodeSelection, _ nodes: [DiscoveredNode]
        ) -> (names: Set<String>, last: [MembershipState.Action]) {
            var state = MembershipState(
                sourceCount: 1, keys: keys, hasLocalSystem: false, needsPeers: true, selection: selection)
            var last: [MembershipState.Action] = []
            for (index, node) in nodes.enumerated() {
                // The second one is discovered long after the first one.
                last = state.handle(.discovery(.found(node), source: 0), seconds: Double(index * 60), at: .now)
            }
            return (Set(state.peers.filter { $0.unusableReason == nil }.map(\.node.name)), last)
        }
        let (only, excluded) = (NodeSelection(only: ["beta"]), NodeSelection(excluded: ["beta"]))
        #expect(used(only, [short, long]).names == ["beta"] && used(excluded, [short, long]).names == ["beta-7c1e"])
        let late = used(only, [long, short])
        #expect(late.names == ["beta"] && late.last.contains(.drop(longKey)))
        let allowed = used(excluded, [long, short])
        #expect(allowed.names == ["beta-7c1e"])
        #expect(allowed.last.contains { if case .dial(let peer, _) = $0 { peer.key == longKey } else { false } })
    }

    @Test("a beginning of a name that two nodes have is reported, unless the second one is discovered late")
    func ambiguous() throws {
        func other(_ name: String, _ number: UInt64, key: KeyRing? = nil) -> DiscoveredNode {
            var other = node(key: key)
            (other.id, other.name) = (.identity(SystemID(high: number, low: 0)), name)
            other.advertisement.id = SystemID(high: number, low: 0)
            return other
        }
        func picky(_ word: String) -> MembershipState {
            MembershipState(
                sourceCount: 1, keys: keys, hasLocalSystem: false, needsPeers: true,
                selection: NodeSelection(only: [word]))
        }
        let words = "--only al could be alpha or altair; give more of the name"
        let second = other("altair", 3)
        for (seconds, change) in [
            (1.0, ClusterMembership.Change.ambiguous(words)), (60, .unused(name: "altair", reason: words)),
        ] {
            var state = picky("al")
            #expect(handle(&state, .discovery(.found(node()), source: 0)).count == 3)
            let actions = state.handle(.discovery(.found(second), source: 0), seconds: seconds, at: .now)
            #expect(actions == [.notify(.discovered(second)), .notify(change)])
            #expect(state.peers.first { $0.node.name == "altair" }?.unusableReason?.cause == .ambiguous)
        }
        // A node of another cluster cannot be meant.
        var state = picky("al")
        _ = handle(&state, .discovery(.found(other("altair", 3, key: KeyRing(current: try .random()))), source: 0))
        #expect(handle(&state, .discovery(.found(node()), source: 0)).count == 3)
    }

    @Test("a failure is reported once, however often the node is dialled")
    func repeated() {
        var state = state(needsPeers: true)
        _ = handle(&state, .discovery(.found(node()), source: 0))
        let error = ConnectError(.unreachable, "cannot be reached")
        let report = MembershipState.Action.report(.failed, of: .identity(id), source: 0)
        #expect(
            handle(&state, .outcome(.failed(error), of: key))
                == [report, .notify(.unused(name: "alpha", reason: error.message))])
        _ = handle(&state, .discovery(.found(node()), source: 0))
        #expect(handle(&state, .outcome(.failed(error), of: key)) == [report])
        // The node was connected in between, so the next failure is reported again.
        _ = handle(&state, .outcome(.connected, of: key))
        #expect(handle(&state, .outcome(.failed(error), of: key)).count == 2)
    }

    @Test("new keys decide anew about every peer that is not dialled")
    func newKeys() throws {
        var state = state(needsPeers: false)
        let other = KeyRing(current: try .random())
        _ = handle(&state, .discovery(.found(node()), source: 0))
        let actions = handle(&state, .keys(other))
        let reason = try #require(state.peers.first?.unusableReason)
        #expect(actions == [.forget(key), .notify(.unused(name: "alpha", reason: reason.text))])
        #expect(handle(&state, .keys(keys)) == [.list(peer())])
    }

    @Test("a node that is announced no longer is forgotten, and its outcomes with it")
    func lost() {
        var state = state(needsPeers: true)
        _ = handle(&state, .discovery(.found(node()), source: 0))
        #expect(
            handle(&state, .discovery(.lost(node()), source: 0)) == [.forget(key), .notify(.departed(name: "alpha"))])
        #expect(state.peers.isEmpty)
        #expect(handle(&state, .outcome(.ended, of: key)).isEmpty)
        #expect(handle(&state, .discovery(.lost(node()), source: 0)).isEmpty)
    }

    @Test("nothing can be discovered when all sources fail, and what two sources announce is two peers")
    func sources() {
        var state = state(needsPeers: true, sources: 2)
        let error = DiscoveryError(.daemonAbsent, "it is off")
        #expect(handle(&state, .discovery(.unavailable(error), source: 0)) == [.notify(.unavailable(error))])
        #expect(!state.isUnavailable)
        _ = handle(&state, .discovery(.unavailable(error), source: 1))
        #expect(state.isUnavailable)
        #expect(state.errors == [error, error])
        _ = handle(&state, .discovery(.available, source: 1))
        #expect(!state.isUnavailable)
        _ = handle(&state, .discovery(.found(node()), source: 0))
        _ = handle(&state, .discovery(.found(node()), source: 1))
        #expect(state.peers.count == 2)
    }
}
