import ScanCluster
import ScanDiscovery
import ScanFarm
import ScanNetwork
import Testing

import ImageScanning

/// Why no node can be used, if the local system is excluded.
@Suite struct UnusableNodesTests {
    private static let wrongKey = ConnectError(.authentication, "has another cluster key")
    private static let unreachable = ConnectError(.unreachable, "cannot be reached")

    private func state(_ address: String, _ error: ConnectError, announced name: String? = nil) -> NodeState {
        var state = NodeState(address: address)
        state.status = .failed(error)
        state.announcedName = name
        return state
    }

    private func peer(_ name: String, _ address: String, _ cause: UnusableReason.Cause) -> DiscoveredPeer {
        DiscoveredPeer(
            node: DiscoveredNode(
                id: .name(name), name: name, addresses: [SocketAddress(host: address, port: 4870)],
                advertisement: NodeAdvertisement(
                    versions: nil, slots: 2, keyFingerprint: nil, id: SystemID(high: 1, low: 2))),
            seconds: 0.1, unusableReason: .init(cause, text: "has another cluster key", next: "skyfarm key import"))
    }

    @Test(
        "a discovered node of another cluster is named with the cause, and if it is the only one the key is the cause")
    func discovered() {
        let nodes = UnusableNodes([], discovered: [peer("far", "10.0.0.2", .key)])
        #expect(nodes.lackKey && nodes.troubles == ["node far: has another cluster key"])
        // By its announcement or in the handshake.
        #expect(UnusableNodes([state("10.0.0.2:4870", Self.wrongKey, announced: "far")], discovered: []).lackKey)
    }

    @Test("beside a node with another trouble, a discovered node's key is not the cause")
    func mixed() {
        let down = state("10.0.0.3:4870", Self.unreachable)
        let nodes = UnusableNodes([down], discovered: [peer("far", "10.0.0.2", .key)])
        #expect(!nodes.lackKey && nodes.troubles.count == 2)
        #expect(!UnusableNodes([], discovered: [peer("old", "10.0.0.4", .version)]).lackKey)
        // But the key of a node that was named is.
        #expect(UnusableNodes([down, state("10.0.0.2:4870", Self.wrongKey)], discovered: []).lackKey)
    }

    @Test("a node that was both named and discovered counts once")
    func both() {
        let nodes = UnusableNodes(
            [state("10.0.0.2:4870", Self.wrongKey)], discovered: [peer("far", "10.0.0.2", .key)])
        #expect(nodes.troubles == ["node 10.0.0.2:4870: has another cluster key"])
    }

    @Test("without a node there is no cause")
    func none() {
        let nodes = UnusableNodes([], discovered: [])
        #expect(nodes.isEmpty && !nodes.lackKey)
    }
}
