import ScanCluster
import ScanFarm
import ScanNetwork
import Testing

/// Looks a number up in the table that all tasks share.
private struct Lookup: ScanTask {
    static let typeName = "test.lookup/1"
    var id: Int

    func scan(_ context: ScanContext) throws -> Double { try context.shared([Double].self)[id] }
}

@Suite("A shared value", .timeLimit(.minutes(10)))
struct SharedValueTests {
    private func node(cache: Int = 1 << 30) throws -> (NodeServer, String) {
        var options = NodeServer.Options()
        (options.timing, options.bulkCacheLimit) = (testTiming, cache)
        let server = NodeServer(
            name: "node", keys: testKeys, slots: 2, taskTypes: TaskTypes(Lookup.self), listen: "127.0.0.1:0",
            options: options)
        return (server, "\(try server.start())")
    }

    // The second table is larger than a part frame.
    @Test("is sent to each node once, also for a second run", arguments: [300, 100_000])
    func once(count: Int) async throws {
        let nodes = [try node(), try node()]
        let table = (0..<count).map { Double($0) / 4 }
        let value = try SharedValue(table)
        try await withFarm(
            running: Lookup.self, nodes: nodes.map(\.1), keys: testKeys, localSlots: 0
        ) { farm in
            for _ in 0..<2 {
                var done = 0
                for try await response in farm.responses(to: (0..<300).map { Lookup(id: $0) }, sharing: value) {
                    #expect(try response.get() == table[response.id])
                    done += 1
                }
                #expect(done == 300)
            }
            #expect(farm.nodes.traffic.sent.attempts == 2)
        }
        for (server, _) in nodes { server.stop() }
    }

    @Test("is sent with the tasks to a node that has no room for it, and used by local slots as it is")
    func noRoom() async throws {
        let (server, address) = try node(cache: 0)
        let value = try SharedValue([1.0, 2.0, 3.0])
        for localSlots in [0, 2] {
            try await withFarm(
                running: Lookup.self, nodes: [address], keys: testKeys, localSlots: localSlots
            ) { farm in
                var outputs: [Double] = []
                for try await response in farm.responses(to: (0..<3).map { Lookup(id: $0) }, sharing: value) {
                    outputs.append(try response.get())
                }
                #expect(outputs.sorted() == [1, 2, 3])
            }
        }
        server.stop()
    }

    @Test("of another type is the failure of the task, as is none")
    func wrong() async throws {
        let (server, address) = try node()
        try await withFarm(running: Lookup.self, nodes: [address], keys: testKeys, localSlots: 1) { farm in
            for try await response in farm.responses(to: [Lookup(id: 0)], sharing: try SharedValue("text")) {
                let failure = #expect(throws: TaskFailure.self) { try response.get() }
                #expect(failure?.message.contains("the value that the run shares is no Array<Double>") == true)
            }
            for try await response in farm.responses(to: [Lookup(id: 0)]) {
                let failure = #expect(throws: TaskFailure.self) { try response.get() }
                #expect(failure?.message.contains("the run shares no value") == true)
            }
        }
        server.stop()
    }
}
