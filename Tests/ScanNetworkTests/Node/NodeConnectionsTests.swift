import ScanNetwork
import ScanSecurity
import Testing

@Suite("Connections of a node")
struct NodeConnectionsTests {
    private func make(limit: Int = 2, unauthenticated: Int = 2) -> NodeConnections {
        var limits = UnauthenticatedLimits()
        (limits.connections, limits.connectionsPerAddress) = (unauthenticated, unauthenticated)
        return NodeConnections(limit: limit, unauthenticated: limits)
    }

    /// A connection whose peer holds the key.
    private func secured(_ connections: inout NodeConnections, from host: String = "a") -> ConnectionID {
        let (id, _) = connections.arrived(from: host)
        _ = connections.recognised(id, from: host)
        connections.secured(id)
        return id
    }

    @Test("a newer connection evicts the oldest in the same phase, never one in a later phase")
    func eviction() {
        var connections = make()
        let open = secured(&connections)
        connections.opened(open)
        let (handshaking, _) = connections.arrived(from: "a")
        #expect(connections.recognised(handshaking, from: "a") == [])
        let ids = (0..<2).map { _ in connections.arrived(from: "a").0 }
        #expect(connections.arrived(from: "a").evicted == [ids[0]])
        connections.closed(ids[0])
        #expect(connections.recognised(ids[1], from: "a") == [])
        let (third, _) = connections.arrived(from: "a")
        #expect(connections.recognised(third, from: "a") == [handshaking])
    }

    @Test("only peers that hold the key count against the limit of connections")
    func limit() {
        var connections = make(limit: 2, unauthenticated: 10)
        for _ in 0..<5 { _ = connections.arrived(from: "a") }
        let first = secured(&connections)
        connections.opened(first)
        _ = secured(&connections)
        #expect(connections.refusal == nil)
        _ = secured(&connections)
        #expect(connections.refusal == "it has 2 connections, its limit")
        connections.ended(first)
        #expect(connections.refusal != nil)
        connections.closed(first)
        #expect(connections.refusal == nil)
    }

    @Test("counts coordinators from their hello to the end of their connection")
    func coordinators() {
        var connections = make()
        let id = secured(&connections)
        #expect(connections.coordinators == 0)
        connections.opened(id)
        #expect(connections.coordinators == 1)
        connections.ended(id)
        connections.ended(id)
        #expect(connections.coordinators == 0 && !connections.isEmpty)
        connections.closed(id)
        #expect(connections.isEmpty)
    }
}
