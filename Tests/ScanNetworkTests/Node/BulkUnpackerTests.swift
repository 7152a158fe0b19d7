import ScanCluster
import Testing

@testable import ScanNetwork

@Suite("A node that unpacks bulk bytes", .timeLimit(.minutes(10)))
struct BulkUnpackerTests {
    private static let right = [UInt8](1...100)
    private static let sum = right.reduce(0) { $0 + Int($1) }

    /// Unpacks one byte: the number of bytes that count from 1.
    private struct Counter: BulkUnpacker {
        struct Broken: Error, CustomStringConvertible { let description = "cannot count" }

        var form = "count/1"
        var isBroken = false

        func unpack(_ packed: BulkBytes, to unpackedCount: Int) throws -> BulkBytes {
            let last = packed.withUnsafeBytes { $0[0] }
            guard !isBroken, unpackedCount == Int(last) else { throw Broken() }
            return BulkBytes(byteCount: unpackedCount) { $0.copyBytes(from: 1...last) }
        }
    }

    /// A node, with its events, and a connection to it.
    private struct Bench {
        let node: NodeServer
        let system: ScanSystem
        let events = Locked<[String]>([])
        let loads = Locked<[String]>([])

        init(_ unpacker: Counter?, packed: String? = "count/1", bulkLimit: Int = 1 << 20) async throws {
            var options = NodeServer.Options()
            options.timing = testTiming
            options.bulkLimit = bulkLimit
            var taskTypes = allTypes
            taskTypes.unpacker = unpacker
            node = NodeServer(
                name: "node", keys: testKeys, slots: 1, taskTypes: taskTypes, listen: "127.0.0.1:0", options: options
            ) { [events] event in events.withLock { $0.append("\(event)") } }
            var remote = RemoteNodes.Options()
            remote.timing = testTiming
            remote.packed = packed
            system = try await RemoteNodes.connect("\(try node.start())", keys: testKeys, options: remote)
        }

        /// Runs a task with the bytes; returns their sum.
        func run(key: UInt64? = nil, isLastUse: Bool = false) async throws -> Int {
            let source = BulkSource(
                key: key.map { BulkKey(job: 1, index: $0) }, isLastUse: isLastUse, byteCount: right.count,
                loadPacked: { [loads] packing in
                    if packing > .none {
                        loads.withLock { $0.append("packed") }
                        return BulkBytes(byteCount: 1, unpackedCount: 100) { $0[0] = 100 }
                    }
                    loads.withLock { $0.append("full") }
                    return BulkBytes(byteCount: right.count) { $0.copyBytes(from: right) }
                })
            return try await system.run(SumTask(id: 1, number: 0), attempt: 1, bulk: source).get()
        }

        var loaded: [String] { loads.withLock { $0 } }

        func close() async {
            await system.close()
            node.stop()
        }
    }

    @Test("is sent packed bytes, and keeps what it unpacked")
    func unpacked() async throws {
        let bench = try await Bench(Counter())
        #expect(try await bench.run(key: 8) == Self.sum)
        #expect(bench.loaded == ["packed"] && bench.node.status.bulkBytes == 100)
        #expect(try await bench.run(key: 8) == Self.sum)
        #expect(bench.loaded == ["packed"])
        #expect(try await bench.run(key: 8, isLastUse: true) == Self.sum)
        #expect(bench.node.status.bulkBytes == 0)
        // What is unpacked for its last use is not kept.
        #expect(try await bench.run(key: 9, isLastUse: true) == Self.sum)
        #expect(try await bench.run() == Self.sum)
        #expect(bench.loaded == ["packed", "packed", "packed"] && bench.node.status.bulkBytes == 0)
        await bench.close()
    }

    @Test("is sent the bytes in full if it cannot unpack them, and after four failures nothing packed")
    func broken() async throws {
        let bench = try await Bench(Counter(isBroken: true))
        for _ in 0..<6 { #expect(try await bench.run() == Self.sum) }
        let expected = [[String]](repeating: ["packed", "full"], count: 4).flatMap { $0 } + ["full", "full"]
        #expect(bench.loaded == expected)
        let lines = bench.events.withLock { $0.filter { $0.contains("in full: cannot count") } }
        #expect(lines.count == 1)
        await bench.close()
    }

    @Test("of another form, or of none, is sent the bytes in full")
    func otherForm() async throws {
        for bench in [
            try await Bench(Counter(form: "count/2")), try await Bench(nil), try await Bench(Counter(), packed: nil),
        ] {
            #expect(try await bench.run() == Self.sum)
            #expect(bench.loaded == ["full"])
            await bench.close()
        }
    }

    @Test("counts the unpacked bytes against its memory")
    func memory() {
        let key = BulkKey(job: 1, index: 1)
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        var node = NodeResources(
            admission: .init(slots: 2, queueLimit: 2, bulkLimit: 150), cache: .init(limit: 1000),
            readsReferences: false)
        func admit(_ count: Int) -> TaskGrant? {
            let bytes = BulkBytes(byteCount: 1, unpackedCount: count) { $0[0] = 0 }
            let part = Boxed(BulkPart(key: key, bulk: bytes))
            let frame = TaskFrame(
                request: 1, identity: .init(task: 0, attempt: 1), typeName: none, task: none, part: part)
            if case .run(let grant) = node.admit(frame, of: 1) { return grant }
            return nil
        }
        #expect(admit(100)?.bulkBytes == 101 && node.cache.used == 0)
        #expect(admit(50) == nil)
        #expect(admit(48)?.isBulkKept == false)
    }
}
