import ScanSlots
import ScanCluster
import ScanNetwork
import ScanTestSupport

import SkyScan

/// A system whose answers a test changes, or refuses to give.
final class FaultyTransport: ScanTransport {
    private let threads = ScanThreads(count: 1)
    private let nextHandle = Locked<UInt64>(0)
    private let change: @Sendable (_ typeName: String, _ output: any Sendable) -> (any Sendable)?

    /// A transport that answers what `change` makes of a task's output; nil is a failure of the task.
    init(change: @escaping @Sendable (_ typeName: String, _ output: any Sendable) -> (any Sendable)?) {
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

    func start(_ attempt: AttemptRequest, completion: @escaping AttemptCompletion) -> AttemptHandle {
        let task = attempt.task
        threads.submit(
            ClosureWork(context: ScanContext(bulk: attempt.bulk)) { [change] context in
                let answer = (try? task.scan(context)).flatMap { change(type(of: task).typeName, $0) }
                completion(
                    answer == nil ? .failed("out of order") : .finished(seconds: 0), answer.map { PlainOutput($0) })
            })
        return nextHandle.withLock { next in
            next += 1
            return AttemptHandle(rawValue: next)
        }
    }

    func cancel(_ handle: AttemptHandle) {}

    func close() { threads.stop() }
}
