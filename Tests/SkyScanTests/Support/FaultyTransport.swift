import ScanCluster
import ScanNetwork
import ScanTestSupport

@testable import SkyScan

/// A system whose answers a test changes, or refuses to give.
final class FaultyTransport: ScanTransport {
    private let threads = ScanThreads(count: 1)
    private let nextHandle = Locked<UInt64>(0)
    private let change: @Sendable (_ scanner: String, _ output: any Sendable) -> (any Sendable)?

    /// A transport that answers what `change` makes of a task's output; nil is a failure of the task.
    init(change: @escaping @Sendable (_ scanner: String, _ output: any Sendable) -> (any Sendable)?) {
        self.change = change
    }

    /// A coordinator whose only system is this one.
    func coordinator() -> ScanCoordinator {
        let systems = Systems(clock: EventLoop.shared)
        systems.join(
            ScanSystem(
                remote: self, id: SystemID(high: 0, low: 1), name: "faulty", slots: 2, clock: EventLoop.shared))
        return ScanCoordinator(systems: systems, clock: EventLoop.shared)
    }

    func holds(_ key: BulkKey) -> Bool { false }

    func start<Task: ScanTask>(
        _ attempt: Attempt<Task>, completion: @escaping @Sendable (Result<TaskResponse<Task>, ScanError>) -> Void
    ) -> AttemptHandle {
        let context = ScanContext(bulk: attempt.bulk)
        threads.submit(
            ScanJob(context: context) { [change] context in
                let answer = (try? attempt.task.scan(context)).flatMap { change(Task.scanner, $0) as? Task.Output }
                let failure = TaskFailure(message: "out of order", system: "faulty", attempt: attempt.number)
                completion(
                    .success(
                        TaskResponse(
                            id: attempt.task.id, result: answer.map { .success($0) } ?? .failure(failure),
                            system: "faulty", attempt: attempt.number, seconds: 0)))
            })
        return nextHandle.withLock { next in
            next += 1
            return AttemptHandle(rawValue: next)
        }
    }

    func cancel(_ handle: AttemptHandle) {}

    func close() { threads.stop() }
}
