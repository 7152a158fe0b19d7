import ScanCluster
import Testing

@Suite("Tasks that arrive while a run goes on", .timeLimit(.minutes(10)))
struct TaskStreamTests {
    private struct Broken: Error, CustomStringConvertible { let description = "the queue is gone" }

    private let coordinator = ScanCoordinator(Systems(ScanSystem(slots: 2)))

    @Test("may depend on the responses to others")
    func dependent() async throws {
        let (tasks, input) = AsyncStream<Square>.makeStream()
        input.yield(Square(id: 2))
        var outputs: [Int] = []
        for try await response in coordinator.responses(to: tasks) {
            let output = try response.get()
            outputs.append(output)
            #expect(response.index == outputs.count - 1)
            if output < 1000 { input.yield(Square(id: output)) } else { input.finish() }
        }
        #expect(outputs == [4, 16, 256, 65536])
    }

    @Test("are all done, though they arrive faster than they are done")
    func many() async throws {
        let tasks = AsyncStream<Square> { continuation in
            for id in 0..<2000 { continuation.yield(Square(id: id)) }
            continuation.finish()
        }
        var seen: Set<Int> = []
        for try await response in coordinator.responses(to: tasks) { seen.insert(try response.get()) }
        #expect(seen.count == 2000)
    }

    @Test("end the run when their sequence fails, after the attempts in flight")
    func failing() async throws {
        let tasks = AsyncThrowingStream<Square, any Error> { continuation in
            continuation.yield(Square(id: 3))
            continuation.finish(throwing: Broken())
        }
        let error = await #expect(throws: ScanError.self) {
            for try await _ in coordinator.responses(to: tasks) {}
        }
        #expect(error == ScanError(.tasksUnreadable, "the sequence of tasks failed: the queue is gone"))
    }

    @Test("are no longer read once the run is dropped")
    func dropped() async throws {
        let (ended, end) = AsyncStream<Void>.makeStream()
        let tasks = AsyncStream<Square> { continuation in
            continuation.onTermination = { _ in end.yield() }
            continuation.yield(Square(id: 3))
        }
        for try await _ in coordinator.responses(to: tasks) { break }
        var iterator = ended.makeAsyncIterator()
        await iterator.next()
    }

    @Test("follow from responses, until none follows")
    func following() async throws {
        let responses = coordinator.responses(to: [Square(id: 1), Square(id: 2)]) { response in
            response.id < 100 ? [Square(id: 10 * response.id), Square(id: 10 * response.id + 1)] : []
        }
        var ids: [Int] = []
        for try await response in responses { ids.append(response.id) }
        #expect(ids.count == 2 + 4 + 8)
        #expect(Set(ids).count == ids.count && ids.allSatisfy { $0 < 1000 })
        var none = 0
        for try await _ in coordinator.responses(to: [Square](), followedBy: { _ in [] }) { none += 1 }
        #expect(none == 0)
        let error = await #expect(throws: ScanError.self) {
            for try await _ in coordinator.responses(to: [Square(id: 1)], followedBy: { _ in throw Broken() }) {}
        }
        #expect(error?.code == .tasksUnreadable)
    }
}
