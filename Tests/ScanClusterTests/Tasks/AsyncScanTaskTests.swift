import ScanCluster
import Testing

/// Suspends until as many of its kind run as it needs, and returns how many did at most.
private struct Meeting: AsyncScanTask {
    static let typeName = "test.meeting/1"
    static let running = Locked<(now: Int, most: Int)>((0, 0))
    var id: Int
    var needed: Int

    func scan(_ context: ScanContext) async throws -> Int {
        Self.running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        defer { Self.running.withLock { $0.now -= 1 } }
        while Self.running.withLock({ $0.most }) < needed { await Task.yield() }
        return Self.running.withLock { $0.most }
    }
}

/// Sleeps for an hour unless it is cancelled, and tells.
private struct Sleeper: AsyncScanTask {
    static let typeName = "test.sleeper/1"
    static let cancelled = Locked<Set<Int>>([])
    var id: Int

    func scan(_ context: ScanContext) async throws -> Bool {
        do {
            try await Task.sleep(for: .seconds(3600))
        } catch {
            if Task.isCancelled, context.isCancelled { Self.cancelled.withLock { _ = $0.insert(id) } }
            throw error
        }
        return true
    }
}

private struct Refusal: AsyncScanTask {
    struct No: Error, CustomStringConvertible { let description = "no" }
    static let typeName = "test.refusal/1"
    var id: Int

    func scan(_ context: ScanContext) async throws -> Int { throw No() }
}

@Suite("An asynchronous task", .timeLimit(.minutes(10)))
struct AsyncScanTaskTests {
    @Test("occupies a slot while it suspends: as many run at a time as there are slots")
    func slots() async throws {
        let coordinator = ScanCoordinator(Systems(ScanSystem(slots: 3)))
        for try await response in coordinator.responses(to: (0..<20).map { Meeting(id: $0, needed: 3) }) {
            #expect(try response.get() == 3)
        }
    }

    @Test("fails with what it throws")
    func failure() async throws {
        let coordinator = ScanCoordinator(Systems(ScanSystem(slots: 1)), options: .init(maxAttempts: 1))
        for try await response in coordinator.responses(to: [Refusal(id: 0)]) {
            let error = #expect(throws: TaskFailure.self) { try response.get() }
            #expect(error?.message == "no")
        }
    }

    @Test("is cancelled when its time is over")
    func timeout() async throws {
        let system = ScanSystem(slots: 1)
        let error = await #expect(throws: ScanError.self) {
            _ = try await system.run(Sleeper(id: 7), attempt: 1, timeout: .milliseconds(20))
        }
        #expect(error?.code == .timedOut)
        // Its slot is free once it has ended.
        #expect(try await system.run(Meeting(id: 1, needed: 1), attempt: 1).get() > 0)
        #expect(Sleeper.cancelled.withLock { $0.contains(7) })
        await system.close()
    }

    @Test("is cancelled if its attempt was cancelled before it began")
    func early() throws {
        let cancellation = ScanCancellation()
        cancellation.cancel()
        #expect(throws: CancellationError.self) {
            // The synchronous call, as on a scan thread.
            let scan: (ScanContext) throws -> Bool = { try Sleeper(id: 0).scan($0) }
            _ = try scan(ScanContext(cancellation: cancellation))
        }
    }
}
