import Foundation
import ScanCluster
import ScanNetwork
import ScanSecurity
import Testing

@Suite("Keys in rotation", .timeLimit(.minutes(10)))
struct KeyRotationTests {
    let old = newKeys()
    let both: KeyRing

    init() throws {
        both = old.replacing(with: try .random(), keepingOldUntil: .now.addingTimeInterval(3600), at: .now)
    }

    @Test("let a machine that has changed and one that has not work together, whichever is the node")
    func anyOrder() async throws {
        for (nodeKeys, keys) in [(old, both), (both, old), (both, both)] {
            let node = try TestNode(keys: nodeKeys)
            let (_, nodes, states) = await connect(node.address, keys: keys)
            #expect(states.map(\.status) == [.joined])
            #expect(states[0].key == (nodeKeys == keys ? both : old).current.fingerprint)
            nodes.close()
            node.server.stop()
        }
    }

    @Test("are taken up by a node that runs")
    func use() async throws {
        let new = newKeys()
        let node = try TestNode(keys: old)
        let before = try await system(node.address, keys: old)
        node.server.use(new)
        let after = try await system(node.address, keys: new)
        await #expect(throws: ConnectError.self) { _ = try await system(node.address, keys: old) }
        // Connections that were made with the old key stay.
        #expect(try await before.run(SumTask(id: 1, number: 1), attempt: 1).get() == 1)
        #expect(try await after.run(SumTask(id: 2, number: 2), attempt: 1).get() == 2)
        await before.close()
        await after.close()
        node.server.stop()
    }
}
