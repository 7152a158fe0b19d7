import ScanCluster
import ScanNetwork
import Testing

@Suite("A node that finds bulk bytes by itself", .timeLimit(.minutes(10)))
struct BulkResolverTests {
    private static let right = [UInt8](1...100)
    private static let sum = right.reduce(0) { $0 + Int($1) }

    /// Answers each reference with these bytes, and counts.
    private final class Shelf: BulkResolver {
        struct Missing: Error, CustomStringConvertible { let description = "nothing is\nhere" }

        private let bytes: [UInt8]?
        private let asked = Locked<[BulkReference]>([])

        init(_ bytes: [UInt8]?) { self.bytes = bytes }

        var references: [BulkReference] { asked.withLock { $0 } }

        func bytes(of reference: BulkReference, count: Int, unpackedCount: Int?) throws -> BulkBytes {
            asked.withLock { $0.append(reference) }
            guard let bytes else { throw Missing() }
            return BulkBytes(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        }
    }

    /// A node, with its events, and a connection to it.
    private struct Bench {
        let node: NodeServer
        let system: ScanSystem
        let events = Locked<[String]>([])
        private let loads = Locked(0)

        init(_ shelf: Shelf?, cache: Int = 1 << 20) async throws {
            var options = NodeServer.Options()
            options.bulkCacheLimit = cache
            options.timing = testTiming
            node = NodeServer(
                name: "node", keys: testKeys, slots: 1, taskTypes: allTypes, listen: "127.0.0.1:0", resolver: shelf,
                options: options
            ) { [events] event in events.withLock { $0.append("\(event)") } }
            system = try await ScanNetworkTests.system("\(try node.start())")
        }

        /// How often the bytes were read here.
        var loaded: Int { loads.withLock { $0 } }

        /// Runs a task whose bytes are those of `part` of `origin`; returns their sum.
        func run(
            _ part: UInt8, of origin: String = "shelf", key: UInt64? = nil, isLastUse: Bool = false,
            identified: Bool = false
        ) async throws -> Int {
            let bytes = BulkBytes(byteCount: right.count) { $0.copyBytes(from: right) }
            let source = BulkSource(
                key: key.map { BulkKey(job: 1, index: $0) }, isLastUse: isLastUse,
                reference: BulkReference(
                    origin: Array(origin.utf8), part: [part], identifiesBytes: identified), byteCount: right.count
            ) { [loads] in
                loads.withLock { $0 += 1 }
                return bytes
            }
            return try await system.run(SumTask(id: 1, number: 0), attempt: 1, bulk: source).get()
        }

        func close() async {
            await system.close()
            node.stop()
        }
    }

    @Test("is sent a reference, and keeps what it found")
    func found() async throws {
        let shelf = Shelf(Self.right)
        let bench = try await Bench(shelf)
        #expect(try await bench.run(1, key: 8) == Self.sum)
        #expect(shelf.references == [BulkReference(origin: Array("shelf".utf8), part: [1])])
        #expect(bench.loaded == 1 && bench.node.status.bulkBytes == 100 && bench.node.status.done == 1)
        // The second time neither side reads it.
        #expect(try await bench.run(1, key: 8) == Self.sum)
        #expect(bench.loaded == 1 && shelf.references.count == 1)
        #expect(try await bench.run(2) == Self.sum)
        #expect(shelf.references.count == 2 && bench.node.status.bulkBytes == 100)
        // What is found for its last use is not kept.
        #expect(try await bench.run(3, key: 9, isLastUse: true) == Self.sum)
        #expect(shelf.references.count == 3 && bench.node.status.bulkBytes == 100)
        #expect(try await bench.run(1, key: 8, isLastUse: true) == Self.sum)
        #expect(shelf.references.count == 3 && bench.node.status.bulkBytes == 0)
        await bench.close()
    }

    @Test("gets bytes that it does not find, or finds changed, and is sent no further reference to them")
    func missing() async throws {
        let changed = Self.right.map { $0 ^ 1 }
        for (bytes, words) in [
            (nil, "must send bulk bytes in full: nothing is\u{fffd}here"),
            (changed, "in full: the bytes read here have another length or checksum; was the file changed?"),
            (Array(Self.right.dropLast()), "another length or checksum"),
        ] {
            let shelf = Shelf(bytes)
            let bench = try await Bench(shelf)
            #expect(try await bench.run(1, key: 8) == Self.sum)
            #expect(shelf.references.count == 1 && bench.loaded == 2 && bench.node.status.done == 1)
            // Those that were sent are kept.
            #expect(try await bench.run(1, key: 8) == Self.sum)
            #expect(bench.loaded == 2)
            #expect(try await bench.run(2) == Self.sum)
            #expect(shelf.references.count == 1 && bench.loaded == 3)
            #expect(try await bench.run(2, of: "another shelf") == Self.sum)
            #expect(shelf.references.count == 2)
            let lines = bench.events.withLock { $0.filter { $0.contains(words) } }
            #expect(lines.count == 1, "\(bench.events.withLock { $0 })")
            await bench.close()
        }
    }

    @Test("reads bytes that a reference identifies before the coordinator has read them, and keeps them")
    func identified() async throws {
        let shelf = Shelf(Self.right)
        let bench = try await Bench(shelf)
        #expect(try await bench.run(1, key: 8, identified: true) == Self.sum)
        #expect(try await bench.run(1, key: 8, identified: true) == Self.sum)
        #expect(try await bench.run(1, key: 8, isLastUse: true, identified: true) == Self.sum)
        #expect(bench.loaded == 0 && shelf.references.count == 1 && bench.node.status.done == 3)
        await bench.close()
        // One that does not have them is sent them, and no further reference.
        let empty = try await Bench(Shelf(nil))
        for part in 1...2 as ClosedRange<UInt8> { #expect(try await empty.run(part, identified: true) == Self.sum) }
        #expect(empty.loaded == 2 && empty.node.status.done == 2)
        await empty.close()
        // Bytes of another number are not taken for those.
        let short = try await Bench(Shelf(Array(Self.right.dropLast())))
        #expect(try await short.run(1, identified: true) == Self.sum)
        #expect(short.loaded == 1)
        await short.close()
    }

    @Test("is not referred to anything if it does not say that it reads")
    func none() async throws {
        let bench = try await Bench(nil)
        #expect(try await bench.run(1) == Self.sum)
        #expect(bench.loaded == 1)
        await bench.close()
    }
}
