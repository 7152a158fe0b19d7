import Dispatch

/// Serves systems: an executor of actors and tasks that runs closures, too, which cost a fraction of a task.
public protocol ScanExecutor: SerialExecutor, TaskExecutor {
    /// Whether the caller runs on it.
    var isCurrent: Bool { get }

    /// Runs `body` on it, after what it was given before.
    func execute(_ body: @escaping @Sendable () -> Void)
}

/// The executor of a system that has no other.
final class QueueExecutor: ScanExecutor {
    private static let key = DispatchSpecificKey<ObjectIdentifier>()
    private let queue = DispatchQueue(label: "skyfarm.system")

    init() { queue.setSpecific(key: Self.key, value: ObjectIdentifier(self)) }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) }

    func execute(_ body: @escaping @Sendable () -> Void) { queue.async { body() } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }

    func checkIsolated() { precondition(isCurrent, "called off the executor of the system") }
}
