import ScanBasics
import ScanCluster
import ScanNetwork
import ScanSecurity
import ScanTestSupport
import SkyfarmTesting
import Testing

@testable import ScanFarm

/// Returns as many numbers as it says.
private struct Row: ScanTask {
    static let typeName = "test.row/1"
    var id: Int
    var count = 100

    func scan(_ context: ScanContext) -> [Int] { (0..<count).map { $0 * id } }
}

/// Adds up a row that was kept.
private struct RowSum: ScanTask {
    static let typeName = "test.rowSum/1"
    var id: Int

    func scan(_ context: ScanContext) throws -> Int { try context.shared([Int].self).reduce(0, +) }
}

/// Takes its time.
private struct Nothing: ScanTask {
    static let typeName = "test.nothing/1"
    var id: Int
    var cost: Double

    func scan(_ context: ScanContext) -> Int { id }
}

@Suite("Results that stay on their node", .timeLimit(.minutes(10)))
struct KeptResultTests {
    private let start = Instant(nanoseconds: 0)

    @Test("are those that were used last, within their bytes and their time")
    func ledger() {
        var ledger = KeptLedger(limit: 10, lifetime: .seconds(60))
        func at(_ seconds: Int) -> Instant { start.advanced(by: .seconds(seconds)) }
        #expect(ledger.add(1, count: 4, at: at(0)) == [] && ledger.add(2, count: 4, at: at(1)) == [])
        let isUsed = ledger.use(1, at: at(2))
        #expect(isUsed && ledger.add(3, count: 5, at: at(3)) == [2] && ledger.used == 9)
        #expect(ledger.add(4, count: 11, at: at(4)) == nil && ledger.count == 2)
        #expect(ledger.nextEnd == at(62))
        let (isLate, isThere) = (ledger.use(1, at: at(62)), ledger.use(3, at: at(62)))
        #expect(!isLate && isThere)
        #expect(ledger.expire(at: at(62)) == [1] && ledger.used == 5)
        ledger.remove(3)
        ledger.remove(9)
        #expect(ledger.used == 0 && ledger.count == 0 && ledger.nextEnd == nil)
    }

    @Test("that exceed a lowered limit or lifetime go at once, those first that were used longest ago")
    func lowerLimit() throws {
        let clock = ManualClock()
        let store = KeptStore(clock: clock)
        let handles = try (0..<3).map { _ in
            clock.advance(by: .seconds(1))
            return try store.keep(BulkBytes(byteCount: 3) { $0[0] = 1 })
        }
        func kept() -> [Bool] { handles.map { store.find($0) != nil } }
        store.limit(bytes: 5, lifetime: .seconds(60))
        #expect(store.byteCount == 3 && kept() == [false, false, true])
        clock.advance(by: .seconds(2))
        store.limit(bytes: 5, lifetime: .seconds(1))
        #expect(store.byteCount == 0 && kept() == [false, false, false])
        // The sweep is that of the lifetime now.
        store.limit(bytes: 5, lifetime: .seconds(3))
        _ = try store.keep(BulkBytes(byteCount: 3) { $0[0] = 1 })
        store.limit(bytes: 5, lifetime: .seconds(2))
        clock.advance(by: .seconds(2))
        #expect(store.byteCount == 0)
    }

    @Test(
        "of a simulated node that is killed before they are fetched are computed again, or an error says so",
        arguments: 0..<8 as Range<UInt64>)
    func killed(seed: UInt64) throws {
        var farm = SimulatedFarm(seed: seed, nodes: 3)
        farm.nodes[0].faults = [.kill(at: .seconds(20), for: .seconds(5))]
        let (systems, values, lost) = try farm.run {
            (coordinator, elapsed) -> ([String], [Int: [Int]], [String]) in
            var (kept, values, lost) = ([KeptResult<Row>](), [Int: [Int]](), [String]())
            do {
                for try await response in coordinator.responses(keeping: (0..<12).map { Row(id: $0) }) {
                    kept.append(try response.get())
                }
                // Until after the fault.
                for try await _ in coordinator.responses(to: [Nothing(id: 0, cost: 40)]) {}
                if elapsed() < .seconds(20) { return ([], [:], ["too early"]) }
                for result in kept {
                    do {
                        _ = try await coordinator.value(of: result, ifLost: .fail)
                    } catch let error as KeptResultLost {
                        lost.append(error.system)
                    }
                    values[result.task.id] = try await coordinator.value(of: result)
                }
            } catch {
                lost.append("\(error)")
            }
            return (kept.map(\.system), values, lost)
        }
        #expect(values == Dictionary(uniqueKeysWithValues: (0..<12).map { id in (id, (0..<100).map { $0 * id }) }))
        #expect(!lost.isEmpty && lost.count < 12)
        #expect(lost == systems.filter { $0 == "node-1" })
    }

    @Test("are the bulk bytes of later tasks, which run where they are, also after a loss")
    func later() throws {
        var farm = SimulatedFarm(seed: 3, nodes: 3)
        farm.nodes[1].faults = [.kill(at: .seconds(20))]
        let outputs = try farm.run { (coordinator, _) -> [Int: Int] in
            var (outputs, kept) = ([Int: Int](), [Int: KeptResult<Row>]())
            do {
                for try await response in coordinator.responses(keeping: (0..<9).map { Row(id: $0) }) {
                    kept[response.task.id] = try response.get()
                }
                for try await _ in coordinator.responses(to: [Nothing(id: 0, cost: 40)]) {}
                let run = coordinator.responses(to: (0..<9).map { RowSum(id: $0) }) { [kept] sum in
                    kept[sum.id].map { coordinator.source(of: $0) }
                }
                for try await response in run { outputs[response.id] = try response.get() }
            } catch {
                outputs[-1] = "\(error)".count
            }
            return outputs
        }
        #expect(outputs == Dictionary(uniqueKeysWithValues: (0..<9).map { ($0, 4950 * $0) }))
    }

    @Test("are in the farm's own process as well, and are forgotten when they are released")
    func local() async throws {
        let keys = KeyRing(current: try .random())
        let farm = try await Farm(running: Keeping<Row>.self, nodes: [], keys: keys, localSlots: 2)
        var kept: [KeptResult<Row>] = []
        for try await response in farm.responses(keeping: [Row(id: 3, count: 5)]) { kept.append(try response.get()) }
        let result = try #require(kept.first)
        #expect(result.byteCount > 0 && result.task.id == 3)
        #expect(try await farm.value(of: result, ifLost: .fail) == [0, 3, 6, 9, 12])
        await farm.release(result)
        await #expect(throws: KeptResultLost(system: result.system)) { try await farm.value(of: result, ifLost: .fail) }
        #expect(try await farm.value(of: result) == [0, 3, 6, 9, 12])
        await farm.close()
    }

    @Test("are fetched from a node that is paused, and are released there")
    func paused() async throws {
        let keys = KeyRing(current: try .random())
        let node = ScanNode(
            name: "alpha", keys: keys, slots: 1, serving: TaskTypes(Keeping<Row>.self), listen: "127.0.0.1:0",
            discovering: [])
        let address = try #require(try node.start())
        let farm = try await Farm(running: Keeping<Row>.self, nodes: ["\(address)"], keys: keys, localSlots: 0)
        var kept: [KeptResult<Row>] = []
        for try await response in farm.responses(keeping: [Row(id: 3, count: 5)]) { kept.append(try response.get()) }
        let result = try #require(kept.first)
        let watch = farm.systems.watch()
        await node.pause("by its owner")
        while !farm.systems.snapshot.isEmpty { await farm.systems.change(for: watch) }
        farm.systems.unwatch(watch)
        #expect(try await farm.value(of: result, ifLost: .fail) == [0, 3, 6, 9, 12])
        await farm.release(result)
        await #expect(throws: KeptResultLost(system: "alpha")) { try await farm.value(of: result, ifLost: .fail) }
        await farm.close()
        await node.close()
        await #expect(throws: KeptResultLost(system: "alpha")) { try await farm.value(of: result, ifLost: .fail) }
    }

    @Test("are fetched in parts by calls, beside which the program answers its own")
    func calls() async throws {
        let count = 2 * KeptCall.partLimit + 3
        let handle = try KeptStore.ofThisProcess.keep(
            BulkBytes(byteCount: count) { bytes in for index in 0..<count { bytes[index] = UInt8(index % 251) } })
        let peer = NodeServer.Peer(address: "127.0.0.1:1", name: "test")
        let (alone, beside) = (KeptCall.answering(before: nil), KeptCall.answering { body, _ in body.reversed() })
        let bytes = await KeptCall.fetch(handle, count: count, at: "") { await beside($1, peer) }
        #expect(bytes == (0..<count).map { UInt8($0 % 251) })
        // A node that keeps something else under this name, or does not keep it.
        #expect(await KeptCall.fetch(handle, count: count - 1, at: "") { await alone($1, peer) } == nil)
        await KeptCall(handle: handle, action: .release).send(to: "") { await alone($1, peer) }
        #expect(await KeptCall.fetch(handle, count: count, at: "") { await alone($1, peer) } == nil)
        #expect(await beside([1, 2, 3], peer) == [3, 2, 1])
        let refusal = try WireDecoder().decode(KeptCall.Reply.self, from: await alone([1, 2, 3], peer))
        #expect(refusal.error != nil && refusal.count == nil)
    }
}
