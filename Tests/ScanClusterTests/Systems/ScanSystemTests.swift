import Foundation
import ScanCluster
import ScanTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ScanSystemTests {
    let clock = ManualClock()

    private func remote(_ behaviours: FakeNode.Behaviour...) -> (FakeNode, ScanSystem) {
        let node = FakeNode(name: "far", clock: clock, corrupt: { ($0 as? Int).map { $0 + 1 } ?? $0 }) { started, _ in
            behaviours[min(started, behaviours.count - 1)]
        }
        return (node, ScanSystem(remote: node, id: .test(2), name: "far", slots: 1, clock: clock))
    }

    private func source(_ loads: Locked<Int>, key: BulkKey? = BulkKey(job: 1, index: 1)) -> BulkSource {
        BulkSource(key: key, byteCount: 1) {
            loads.withLock { $0 += 1 }
            return BulkBytes(byteCount: 1) { $0[0] = 7 }
        }
    }

    /// Advances time as soon as a timer is set, `steps` times, once `begun` has an element.
    private func driving<Value: Sendable>(
        _ steps: Int, from begun: AsyncStream<Void>? = nil,
        _ body: @escaping @Sendable () async throws(ScanError) -> Value
    ) async -> Result<Value, ScanError> {
        let work = Task { () -> Result<Value, ScanError> in
            do throws(ScanError) { return .success(try await body()) } catch { return .failure(error) }
        }
        if let begun { for await _ in begun { break } }
        for _ in 0..<steps {
            await clock.timers()
            clock.advanceToNext()
        }
        return await work.value
    }

    @Test("a local task has its bytes for itself, unless the source keeps them")
    func ownBytes() async throws {
        let local = ScanSystem(local: 1, id: .test(1), name: "here", clock: clock)
        let kept = BulkBytes(byteCount: 1) { $0[0] = 7 }
        let task = Blocking(id: 1) { context in
            guard var bytes = context.takeBulk() else { return -1 }
            return BulkBytes.withBytes(of: &bytes) { $1 ? 1 : 0 }
        }
        let fresh = BulkSource(byteCount: 1) { BulkBytes(byteCount: 1) { $0[0] = 7 } }
        #expect(try await local.run(task, attempt: 1, bulk: fresh).get() == 1)
        #expect(try await local.run(task, attempt: 1, bulk: BulkSource(byteCount: 1) { kept }).get() == 0)
        #expect(kept.withUnsafeBytes { $0[0] } == 7)
    }

    @Test("local and remote systems answer alike")
    func alike() async throws {
        let local = ScanSystem(local: 1, id: .test(1), name: "here", clock: clock)
        let here = try await local.run(Square(id: 5), attempt: 2)
        #expect(try here.get() == 25)
        #expect(here.system == "here")
        #expect(here.attempt == 2)
        let (_, far) = remote(.answer(after: .seconds(1)))
        let there = try await driving(1) { () async throws(ScanError) in
            try await far.run(Square(id: 5), attempt: 2)
        }.get()
        #expect(try there.get() == 25)
        #expect(there.system == "far")
        #expect(there.attempt == 2)
        #expect(there.seconds == 1)
        #expect(local.isLocal)
        #expect(!far.isLocal)
        await local.close()
    }

    @Test("a task that throws gives a failure, locally too, and seconds are the clock's")
    func throwing() async throws {
        let local = ScanSystem(local: 1, id: .test(1), name: "here", clock: clock)
        let response = try await local.run(
            Blocking(id: 1) { [clock] _ in
                clock.advance(by: .seconds(2))
                throw CocoaError(.fileNoSuchFile)
            }, attempt: 1)
        #expect(throws: TaskFailure.self) { try response.get() }
        #expect(response.seconds == 2)
    }

    @Test("the bytes are sent once; after that the key is enough")
    func bulkKept() async throws {
        let (node, far) = remote(.answer(after: .seconds(1)))
        let loads = Locked(0)
        for _ in 0..<3 {
            let source = source(loads)
            let response = await driving(1) { () async throws(ScanError) in
                try await far.run(BulkSum(id: 1), attempt: 1, bulk: source)
            }
            #expect(try response.get().get() == 7)
        }
        #expect(loads.withLock { $0 } == 1)
        #expect(node.transfers == 1)
    }

    @Test("bytes without a key are sent every time")
    func bulkWithoutKey() async throws {
        let (node, far) = remote(.answer(after: .seconds(1)))
        let loads = Locked(0)
        for _ in 0..<2 {
            let source = source(loads, key: nil)
            _ = await driving(1) { () async throws(ScanError) in
                try await far.run(BulkSum(id: 1), attempt: 1, bulk: source)
            }
        }
        #expect(node.transfers == 2)
    }

    @Test("bytes that the node has dropped are sent again, once")
    func bulkMissing() async throws {
        let (node, far) = remote(
            .answer(after: .seconds(1)), .fail(.bulkMissing, after: .seconds(1)), .answer(after: .seconds(1)),
            .fail(.bulkMissing, after: .seconds(1)))
        let loads = Locked(0)
        let source = source(loads)
        let run = { @Sendable () async throws(ScanError) in
            try await far.run(BulkSum(id: 1), attempt: 1, bulk: source)
        }
        _ = await driving(1, run)
        #expect(try await driving(2, run).get().get() == 7)
        #expect(node.transfers == 2)
        guard case .failure(let error) = await driving(2, run) else {
            Issue.record("a node that never keeps the bytes was believed")
            return
        }
        #expect(error.code == .bulkMissing)
    }

    @Test("bytes that cannot be read are the input's fault, with the cause")
    func unreadable() async {
        struct Torn: Error, CustomStringConvertible { let description = "the file is torn" }
        let (_, far) = remote(.hang)
        let local = ScanSystem(local: 1, id: .test(1), name: "here", clock: clock)
        for system in [local, far] {
            await #expect(throws: ScanError(.bulkUnreadable, "the file is torn")) {
                try await system.run(
                    BulkSum(id: 1), attempt: 1, bulk: BulkSource(byteCount: 1) { throw Torn() })
            }
        }
    }

    @Test("a system that does not answer in time fails with the time in words, and gets a cancellation")
    func timeout() async {
        let (node, far) = remote(.hang)
        let result = await driving(1) { () async throws(ScanError) in
            try await far.run(Square(id: 1), attempt: 1, timeout: .seconds(5))
        }
        guard case .failure(let error) = result else {
            Issue.record("no time-out")
            return
        }
        #expect(error.code == .timedOut)
        #expect("\(error)" == "far: no answer within 5 s")
        #expect(node.cancelled == 1)
    }

    @Test("an output that cannot be right is a fault of the system")
    func invalid() async {
        let (_, far) = remote(.garbage(after: .seconds(1)))
        let result = await driving(1) { () async throws(ScanError) in
            try await far.run(Square(id: 3), attempt: 1)
        }
        guard case .failure(let error) = result else {
            Issue.record("garbage was accepted")
            return
        }
        #expect(error.code == .invalidResponse)
    }

    @Test("a local scan that timed out keeps its slot until it ends, and the registry knows")
    func localTimeout() async {
        let local = ScanSystem(local: 1, id: .test(1), name: "here", clock: clock)
        let systems = Systems(clock: clock)
        systems.join(local)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let go = DispatchSemaphore(value: 0)
        let stuck = Blocking(id: 1) { context in
            begin.yield()
            go.wait()
            return context.isCancelled ? 1 : 0
        }
        // A scan whose time is over before it begins is skipped.
        let result = await driving(1, from: begun) { () async throws(ScanError) in
            try await local.run(stuck, attempt: 1, timeout: .seconds(5))
        }
        #expect(throws: ScanError.self) { try result.get() }
        #expect(systems.hasSystem(excluding: []) == false)
        let job = systems.watch()
        go.signal()
        await systems.change(for: job)
        #expect(systems.hasSystem(excluding: []))
        systems.unwatch(job)
    }

    @Test("a closed local system runs nothing more")
    func closed() async {
        let local = ScanSystem(local: 1, id: .test(1), name: "here", clock: clock)
        await local.close()
        await #expect(throws: ScanError.self) { try await local.run(Square(id: 1), attempt: 1) }
    }
}
