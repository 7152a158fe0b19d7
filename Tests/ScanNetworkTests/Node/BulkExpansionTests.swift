import ScanCluster
import Testing

@testable import ScanNetwork
import ScanCompression

@Suite("A node that expands compressed bulk bytes", .timeLimit(.minutes(10)))
struct BulkExpansionTests {
    private static let numbers = (0..<40_000).map { UInt8($0 / 400) }
    private static let sum = numbers.reduce(0) { $0 + Int($1) }

    /// Runs a task on the system with bytes that come compressed, or as they are if they are asked for again.
    /// - Returns: their sum, and what was loaded.
    private func run(
        on system: ScanSystem, key: BulkKey? = nil, compressed: @escaping @Sendable () -> BulkBytes?
    ) async throws -> (Int, [String]) {
        let loads = Locked<[String]>([])
        let plain: @Sendable () -> BulkBytes = {
            BulkBytes(byteCount: Self.numbers.count) { $0.copyBytes(from: Self.numbers) }
        }
        let source = BulkSource(
            key: key, byteCount: Self.numbers.count, numberSize: 4,
            loadPacked: { packing in
                loads.withLock { $0.append(packing > .none ? "compressed" : "plain") }
                return packing > .none ? compressed() ?? plain() : plain()
            })
        let sum = try await system.run(SumTask(id: 1, number: 0), attempt: 1, bulk: source).get()
        return (sum, loads.withLock { $0 })
    }

    private func withNode(_ body: (ScanSystem, NodeServer) async throws -> Void) async throws {
        var options = NodeServer.Options()
        options.timing = testTiming
        var taskTypes = allTypes
        // Loading packed bytes is how a test hands compressed ones to the transport.
        taskTypes.unpacker = NoForm()
        let node = NodeServer(
            name: "node", keys: testKeys, slots: 1, taskTypes: taskTypes, listen: "127.0.0.1:0", options: options)
        var remote = RemoteNodes.Options()
        remote.timing = testTiming
        remote.packed = NoForm().form
        let system = try await RemoteNodes.connect("\(try node.start())", keys: testKeys, options: remote)
        try await body(system, node)
        await system.close()
        node.stop()
    }

    private struct NoForm: BulkUnpacker {
        struct Unused: Error {}
        var form: String { "none/1" }
        func unpack(_ packed: BulkBytes, to unpackedCount: Int) throws -> BulkBytes { throw Unused() }
    }

    @Test("scans what was compressed, and keeps it expanded")
    func expanded() async throws {
        try await withNode { system, node in
            let bulk = BulkBytes(byteCount: Self.numbers.count) { $0.copyBytes(from: Self.numbers) }
            let compressed = try #require(BulkCompression.compress(bulk, width: 4))
            let (sum, loads) = try await run(on: system, key: BulkKey(job: 1, index: 1)) { compressed }
            #expect(sum == Self.sum && loads == ["compressed"])
            #expect(node.status.bulkBytes == Self.numbers.count)
        }
    }

    @Test("is sent the bytes as they are if it cannot expand them")
    func malformed() async throws {
        try await withNode { system, node in
            let (sum, loads) = try await run(on: system) {
                BulkBytes(compressedCount: 100, unpackedCount: Self.numbers.count) { bytes in
                    for index in bytes.indices { bytes[index] = UInt8(index) }
                }
            }
            #expect(sum == Self.sum && loads == ["compressed", "plain"])
            #expect(node.status.bulkBytes == 0)
        }
    }

    @Test("counts the expanded bytes against its memory")
    func memory() {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        var node = NodeResources(
            admission: .init(slots: 2, queueLimit: 2, bulkLimit: 150), cache: .init(limit: 1000),
            readsReferences: false)
        func admit(_ count: Int) -> Int? {
            let bytes = BulkBytes(compressedCount: 1, unpackedCount: count) { $0[0] = 0 }
            let part = Boxed(BulkPart(key: BulkKey(job: 1, index: 1), bulk: bytes))
            let frame = TaskFrame(
                request: 1, identity: .init(task: 0, attempt: 1), typeName: none, task: none, part: part)
            if case .run(let grant) = node.admit(frame, of: 1) { return grant.bulkBytes }
            return nil
        }
        #expect(admit(100) == 101 && node.cache.used == 0)
        #expect(admit(50) == nil)
    }
}
