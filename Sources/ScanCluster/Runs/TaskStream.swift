internal import ScanBasics

/// The tasks of a run that arrive while it goes on: what a sequence yields, at most ``limit`` ahead of the run.
final class TaskStream<Work: ScanTask>: Sendable {
    /// Tasks that were read and that the run has not pulled.
    static var limit: Int { 256 }

    private struct State {
        var tasks = Queue<Work>()
        var hasEnded = false
        var error: ScanError?
        var isAbandoned = false
        /// The feeder, if it waits for room.
        var feeder: Waiter?
        /// Wakes the run.
        var wake: (@Sendable () -> Void)?
        /// Stops the feeder.
        var stop: (@Sendable () -> Void)?
    }
    private let state = Locked(State())

    /// Reads the tasks of `sequence` until it ends or the run does.
    func feed<Tasks: AsyncSequence>(from sequence: Tasks) async where Tasks.Element == Work {
        do {
            for try await task in sequence {
                guard await add(task) else { return }
            }
            end(nil)
        } catch {
            end(ScanError(.tasksUnreadable, "the sequence of tasks failed: \(String(words: error))"))
        }
    }

    /// Adds a task, and waits for room for the next.
    /// - Returns: false if the run has ended.
    private func add(_ task: Work) async -> Bool {
        let wake = state.withLock { state in
            state.tasks.append(task)
            return state.wake
        }
        wake?()
        await withUnsafeContinuation { (waiter: Waiter) in
            let hasRoom = state.withLock { state in
                if state.tasks.count < Self.limit || state.isAbandoned { return true }
                state.feeder = waiter
                return false
            }
            if hasRoom { waiter.resume() }
        }
        return state.withLock { !$0.isAbandoned }
    }

    private func end(_ error: ScanError?) {
        let wake = state.withLock { state in
            (state.hasEnded, state.error) = (true, error)
            return state.wake
        }
        wake?()
    }

    /// Calls `wake` from now on when a task has arrived, or the last one has.
    func onArrival(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    /// Whether no task is left and none will arrive.
    var isDone: Bool { state.withLock { $0.hasEnded && $0.tasks.count == 0 } }

    /// Why the sequence ended early; nil if it did not.
    var error: ScanError? { state.withLock { $0.error } }

    /// Calls `stop` when the run has ended.
    func onEnd(_ stop: @escaping @Sendable () -> Void) { state.withLock { $0.stop = stop } }

    /// The run has ended: it takes no more tasks.
    func abandon() {
        let (feeder, stop) = state.withLock { state in
            state.isAbandoned = true
            state.tasks.removeAll()
            return (state.feeder.take(), state.stop)
        }
        stop?()
        feeder?.resume()
    }
}

extension TaskStream: Sequence, IteratorProtocol {
    /// The next task that has arrived; nil if there is none at present.
    func next() -> Work? {
        let (task, feeder) = state.withLock { state in
            let task = state.tasks.popFirst()
            return (task, state.tasks.count <= Self.limit / 2 ? state.feeder.take() : nil)
        }
        feeder?.resume()
        return task
    }
}
