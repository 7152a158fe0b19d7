import Foundation
import ScanCluster
import ScanTestSupport
import Testing

/// Runs that leave the simulated executor: bulk bytes are read elsewhere, and local scans have threads.
@Suite(.timeLimit(.minutes(10))) struct CoordinatorBulkTests {
    let clock = ManualClock()
    /// Time passes as fast as timers are set, but threads do the work: no timer is to wait for the end of an attempt.
    let patient = ScanCoordinator.Options(adaptiveTimeout: nil)
    let systems: Systems

    init() { systems = Systems(clock: clock) }

    /// Advances time whenever a timer is set, until `body` returns.
    private func driving<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        let isDone = Locked(false)
        let driver = Task {
            while !isDone.withLock({ $0 }) {
                await clock.timers()
                clock.advanceToNext()
            }
        }
        do {
            let value = try await body()
            await stop(driver, isDone)
            return value
        } catch {
            await stop(driver, isDone)
            throw error
        }
    }

    private func stop(_ driver: Task<Void, Never>, _ isDone: Locked<Bool>) async {
        isDone.withLock { $0 = true }
        _ = clock.schedule(at: clock.now) {}
        await driver.value
    }

    private func add(_ number: UInt64, behaviour: @escaping @Sendable () -> FakeNode.Behaviour) -> FakeNode {
        let node = FakeNode(name: "node-\(number)", clock: clock, behaviour: { _, _ in behaviour() })
        systems.join(ScanSystem(remote: node, id: .test(number), name: node.name, slots: 1, clock: clock))
        return node
    }

    private func source(_ band: Int, loads: Locked<Int>) -> BulkSource {
        BulkSource(key: BulkKey(job: 1, index: UInt64(band)), byteCount: 1) {
            loads.withLock { $0 += 1 }
            return BulkBytes(byteCount: 1) { $0[0] = UInt8(band) }
        }
    }

    @Test("a second run finds the bytes of the first where they are, and most are not sent again")
    func locality() async throws {
        let nodes = (1...2).map { add(UInt64($0)) { .answer(after: .seconds(1)) } }
        let coordinator = ScanCoordinator(systems: systems, options: patient, clock: clock)
        let loads = Locked(0)
        let sums = try await driving {
            var sums: [[Int]] = []
            for _ in 0..<2 {
                var outputs: [Int] = []
                let tasks = (0..<40).map { BulkSum(id: $0) }
                for try await response in coordinator.responses(to: tasks, bulk: { source($0.id, loads: loads) }) {
                    outputs.append(try response.get())
                }
                sums.append(outputs.sorted())
            }
            return sums
        }
        #expect(sums == [Array(0..<40), Array(0..<40)])
        // The first run must move all 40; the second at most what one node steals at its end.
        #expect(nodes.reduce(0) { $0 + $1.transfers } == loads.withLock { $0 })
        #expect(loads.withLock { $0 } < 60)
    }

    /// Packed bytes are one byte longer; those of 13 are damaged.
    private struct Unpacker: BulkUnpacker {
        struct Damaged: Error {}
        let form = "test/1"
        let threads: Locked<Set<String>>

        func unpack(_ packed: BulkBytes, to unpackedCount: Int) throws -> BulkBytes {
            threads.withLock { _ = $0.insert("\(pthread_self())") }
            let byte = packed.withUnsafeBytes { $0[0] }
            if byte == 13 { throw Damaged() }
            return BulkBytes(byteCount: unpackedCount) { $0[0] = byte }
        }
    }

    @Test("slots unpack the bytes of their tasks, and get them as they are if that fails")
    func localUnpacking() async throws {
        let threads = Locked<Set<String>>([])
        let local = ScanSystem(
            local: 1, id: .test(1), name: "here", queue: 1, unpacker: Unpacker(threads: threads), clock: clock)
        systems.join(local)
        let coordinator = ScanCoordinator(systems: systems, options: patient, clock: clock)
        let loads = Locked<[BulkPacking]>([])
        // What the slots pass on.
        let seen = Locked<[Int]>([])
        let bulk: @Sendable (BulkSum) -> BulkSource = { task in
            BulkSource(byteCount: 1) { packing in
                loads.withLock { $0.append(packing) }
                if packing == .none { return BulkBytes(byteCount: 1) { $0[0] = UInt8(task.id) } }
                let packed = BulkBytes(byteCount: 2, unpackedCount: 1) { $0[0] = UInt8(task.id) }
                return BulkBytes(packed: packed) { bytes in
                    seen.withLock { $0.append(Int(bytes.withUnsafeBytes { $0[0] })) }
                }
            }
        }
        let outputs = try await driving {
            var outputs: [Int] = []
            let job = coordinator.responses(to: (0..<30).map { BulkSum(id: $0) }, bulk: bulk)
            for try await response in job { outputs.append(try response.get()) }
            return outputs.sorted()
        }
        #expect(outputs == Array(0..<30))
        #expect(loads.withLock { $0.count { $0 == .local } } == 30 && loads.withLock { $0.count { $0 == .none } } == 1)
        #expect(threads.withLock { $0.count } == 1)
        #expect(seen.withLock { $0.sorted() } == (0..<30).filter { $0 != 13 })
        await local.close()
    }

    @Test("slots read the bytes of their tasks side by side, and get them from the requester if that fails")
    func deferredReading() async throws {
        struct Torn: Error {}
        let local = ScanSystem(local: 2, id: .test(1), name: "here", queue: 2, clock: clock)
        systems.join(local)
        let coordinator = ScanCoordinator(systems: systems, options: patient, clock: clock)
        let (loads, reads) = (Locked<[BulkPacking]>([]), Locked(0))
        // Both slots read at the same time, or the first to read would wait for ever.
        let both = Rendezvous()
        let bulk: @Sendable (BulkSum) -> BulkSource = { task in
            BulkSource(byteCount: 1) { packing in
                loads.withLock { $0.append(packing) }
                if packing == .none { return BulkBytes(byteCount: 1) { $0[0] = UInt8(task.id) } }
                return BulkBytes(deferred: 1) {
                    reads.withLock { $0 += 1 }
                    if task.id < 2 { both.meet() }
                    if task.id == 7 { throw Torn() }
                    return BulkBytes(byteCount: 1) { $0[0] = UInt8(task.id) }
                }
            }
        }
        let outputs = try await driving {
            var outputs: [Int] = []
            let job = coordinator.responses(to: (0..<30).map { BulkSum(id: $0) }, bulk: bulk)
            for try await response in job { outputs.append(try response.get()) }
            return outputs.sorted()
        }
        #expect(outputs == Array(0..<30) && reads.withLock { $0 } == 30)
        #expect(loads.withLock { $0.count { $0 == .deferred } } == 30)
        #expect(loads.withLock { $0.count { $0 == .none } } == 1)
        await local.close()
    }

    /// A place where two threads wait for each other.
    private final class Rendezvous: Sendable {
        private let arrivals = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        private let isFirst = Locked(true)

        func meet() {
            let isFirst = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            (isFirst ? arrivals.0 : arrivals.1).signal()
            (isFirst ? arrivals.1 : arrivals.0).wait()
        }
    }

    @Test("input that cannot be read ends the run with its cause")
    func unreadable() async {
        struct Torn: Error, CustomStringConvertible { let description = "row 17 is torn" }
        _ = add(1) { .answer(after: .seconds(1)) }
        let coordinator = ScanCoordinator(systems: systems, options: patient, clock: clock)
        await #expect(throws: ScanError(.bulkUnreadable, "row 17 is torn")) {
            try await driving {
                let tasks = (0..<40).map { BulkSum(id: $0) }
                let bulk: @Sendable (BulkSum) -> BulkSource? = { task in
                    BulkSource(byteCount: 1) {
                        if task.id == 17 { throw Torn() }
                        return BulkBytes(byteCount: 1) { $0[0] = 1 }
                    }
                }
                for try await _ in coordinator.responses(to: tasks, bulk: bulk) {}
            }
        }
        #expect(systems.snapshot.map(\.inFlight) == [0])
    }

    @Test("a task that threw on a node is retried on the local system")
    func localRetry() async throws {
        let local = ScanSystem(local: 1, id: .test(1), name: "here", clock: clock)
        systems.join(local)
        let node = add(2) { .throwing("no memory", after: .milliseconds(10)) }
        let coordinator = ScanCoordinator(systems: systems, options: patient, clock: clock)
        let retried = Locked<[Int]>([])
        let second = Locked<[String]>([])
        let hedges = Locked(0)
        let outputs = try await driving {
            var outputs: Set<Int> = []
            let observer = { @Sendable (event: TaskEvent) in
                switch event {
                case .taskRetried(let index, "node-2", _, "no memory", _),
                    .attemptLost(let index, "node-2", _, "no memory", _):
                    // Lost if the local system is at the task already.
                    retried.withLock { $0.append(index) }
                case .taskStarted(_, let system, 2, _): second.withLock { $0.append(system) }
                // Virtual time passes while a local scan runs: it may seem to take long.
                case .taskHedged(_, _, let attempt, _, _):
                    hedges.withLock { $0 += 1 }
                    if attempt == 2 { second.withLock { _ = $0.popLast() } }
                default: break
                }
            }
            let job = coordinator.responses(to: (0..<50).map { Square(id: $0) }, observer: observer)
            for try await response in job { outputs.insert(try response.get()) }
            return outputs
        }
        #expect(outputs.count == 50)
        // Each is reported, except one that ends when the other attempt at its task has just succeeded.
        let untold = node.started - node.cancelled - retried.withLock { $0.count }
        #expect((0...hedges.withLock { $0 }).contains(untold))
        #expect(node.started > 0)
        #expect(second.withLock { $0.allSatisfy { $0 == "here" } })
        await local.close()
    }

    @Test("an idle local slot takes over the tasks of a node that hangs")
    func localHedge() async throws {
        let local = ScanSystem(local: 1, id: .test(1), name: "here", clock: clock)
        systems.join(local)
        let node = add(2) { .hang }
        let coordinator = ScanCoordinator(systems: systems, options: patient, clock: clock)
        let hedged = Locked<[String]>([])
        let outputs = try await driving {
            var outputs: Set<Int> = []
            let observer = { @Sendable (event: TaskEvent) in
                if case .taskHedged(_, let system, 2, "node-2", _) = event { hedged.withLock { $0.append(system) } }
            }
            let job = coordinator.responses(to: (0..<50).map { Square(id: $0) }, observer: observer)
            for try await response in job { outputs.insert(try response.get()) }
            return outputs
        }
        #expect(outputs.count == 50)
        #expect(node.started > 0 && node.cancelled == node.started)
        #expect(hedged.withLock { $0 } == Array(repeating: "here", count: node.started))
        await local.close()
    }

    @Test("a run whose scans never stop after their time-out gives its tasks up when no slot is left")
    func allSlotsLost() async throws {
        let local = ScanSystem(local: 2, id: .test(1), name: "here", clock: clock)
        systems.join(local)
        let coordinator = ScanCoordinator(
            systems: systems, options: .init(timeout: .seconds(5), waitForSystems: .seconds(1)), clock: clock)
        let release = ScanCancellation()
        let tasks = (0..<5).map { number in
            Blocking(id: number) { _ in
                while !release.isCancelled {}
                return 0
            }
        }
        let reasons = try await driving {
            var reasons: [String] = []
            for try await response in coordinator.responses(to: tasks) {
                if case .failure(let failure) = response.result { reasons.append(failure.message) }
            }
            return reasons
        }
        #expect(reasons.count == 5 && reasons.contains("no answer within 5 s"), "\(reasons)")
        release.cancel()
        await local.close()
    }
}
