import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity
import Testing

/// Ends its node, and takes 50 ms more.
private struct EndTask: ScanTask {
    static let typeName = "test.end/1"
    static let end = Locked<@Sendable () -> Void>({})
    var id: Int

    func scan(_ context: ScanContext) -> Int {
        Self.end.withLock { $0 }()
        usleep(50_000)
        return id
    }
}

// Serialized: signals are of the whole process.
@Suite("A node that runs", .serialized, .timeLimit(.minutes(10)))
struct NodeRunTests {
    let keys: KeyRing

    init() throws { keys = KeyRing(current: try .random()) }

    private func isDefault(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return action.__sigaction_handler.sa_handler == nil
    }

    /// Runs a node until `end` ends it, while a task runs on it.
    private func run(end: @escaping @Sendable (Task<Void, any Error>) -> Void) async throws {
        let node = ScanNode(
            name: "alpha", keys: keys, slots: 1, serving: TaskTypes(EndTask.self), listen: "127.0.0.1:0",
            discovering: [])
        let (addresses, ready) = AsyncStream<String>.makeStream()
        let running = Task { try await node.run(drainingOn: [SIGURG]) { ready.yield("\($0)") } }
        var iterator = addresses.makeAsyncIterator()
        let address = try #require(await iterator.next())
        EndTask.end.withLock { $0 = { end(running) } }
        try await withFarm(running: EndTask.self, nodes: [address], keys: keys, localSlots: 0) { farm in
            for try await response in farm.responses(to: [EndTask(id: 7)]) { #expect(try response.get() == 7) }
        }
        try await running.value
        #expect(node.server?.status.running == 0)
        await #expect(throws: ConnectError.self) { try await Farm(nodes: [address], keys: keys) }
    }

    @Test("ends after a signal, once its tasks are finished; the signal does then what it did before")
    func signal() async throws {
        #expect(isDefault(SIGURG))
        try await run { _ in kill(getpid(), SIGURG) }
        #expect(isDefault(SIGURG))
    }

    @Test("ends in the same way when its task is cancelled")
    func cancellation() async throws {
        try await run { $0.cancel() }
        #expect(isDefault(SIGURG))
    }
}
