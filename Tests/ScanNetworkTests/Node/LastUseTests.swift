import ScanCluster
import ScanNetwork
import Testing

/// What a node does with bulk bytes whose key is used for the last time.
@Suite("Bulk bytes that a task is the last to use", .timeLimit(.minutes(10)))
struct LastUseTests {
    /// A node that keeps 1000 bytes, and sources of 400 bytes each.
    struct Bench {
        let node: TestNode
        let system: ScanSystem
        let loads = Locked(0)

        init() async throws {
            node = try TestNode { $0.bulkCacheLimit = 1000 }
            system = try await ScanNetworkTests.system(node.address)
        }

        func source(_ index: UInt64, isLastUse: Bool) -> BulkSource {
            BulkSource(key: BulkKey(job: 1, index: index), isLastUse: isLastUse, byteCount: 400) { [loads] in
                loads.withLock { $0 += 1 }
                return BulkBytes(byteCount: 400) { $0.initializeMemory(as: UInt8.self, repeating: 1) }
            }
        }

        /// Whether a task has the bytes to itself.
        func isAlone(with index: UInt64, isLastUse: Bool, gate: Int? = nil) async throws -> Bool {
            let source = source(index, isLastUse: isLastUse)
            return try await system.run(OverwriteTask(id: 1, gate: gate), attempt: 1, bulk: source).get()
        }

        var kept: Int { node.server.status.bulkBytes }
        var loaded: Int { loads.withLock { $0 } }

        func close() async {
            await system.close()
            node.server.stop()
        }
    }

    @Test("are its own, and no longer kept; bytes that are kept belong to no task")
    func alone() async throws {
        let bench = try await Bench()
        #expect(try await bench.isAlone(with: 1, isLastUse: false) == false)
        #expect(try await bench.isAlone(with: 2, isLastUse: false) == false)
        #expect(bench.kept == 800)
        #expect(try await bench.isAlone(with: 1, isLastUse: false) == false)
        #expect(try await bench.isAlone(with: 1, isLastUse: true) == true)
        #expect(bench.loaded == 2 && bench.kept == 400)
        // A repetition gets them once more, and they are not kept for it.
        #expect(try await bench.isAlone(with: 1, isLastUse: true) == true)
        #expect(try await bench.isAlone(with: 3, isLastUse: true) == true)
        #expect(bench.loaded == 4 && bench.kept == 400)
        #expect(try await bench.isAlone(with: 2, isLastUse: true) == true)
        #expect(bench.kept == 0)
        await bench.close()
    }

    @Test("are not its own while another task still has them, which must find them unchanged")
    func shared() async throws {
        let bench = try await Bench()
        #expect(try await bench.isAlone(with: 1, isLastUse: false) == false)
        let gate = Gate.make()
        async let other = bench.isAlone(with: 1, isLastUse: false, gate: gate)
        await Gate.entered(gate, atLeast: 1)
        #expect(try await bench.isAlone(with: 1, isLastUse: true) == false)
        Gate.open(gate)
        #expect(try await other == false)
        #expect(bench.loaded == 1 && bench.kept == 0)
        await bench.close()
    }

    @Test("take their room among the kept ones until the task ends, also if it was cancelled")
    func room() async throws {
        let bench = try await Bench()
        #expect(try await bench.isAlone(with: 1, isLastUse: false) == false)
        let gate = Gate.make()
        let running = Task { try await bench.isAlone(with: 1, isLastUse: true, gate: gate) }
        await Gate.entered(gate, atLeast: 1)
        #expect(bench.kept == 400)
        running.cancel()
        _ = await running.result
        await eventually { bench.kept == 0 }
        await bench.close()
    }

    @Test("stay where they are if the task is not taken")
    func refused() async throws {
        let bench = try await Bench()
        #expect(try await bench.isAlone(with: 1, isLastUse: false) == false)
        await #expect(throws: ScanError.self) {
            try await bench.system.run(UnknownTask(id: 1), attempt: 1, bulk: bench.source(1, isLastUse: true))
        }
        #expect(try await bench.isAlone(with: 1, isLastUse: true) == true)
        #expect(bench.loaded == 1)
        await bench.close()
    }
}
