#if canImport(Darwin)
    public import Darwin
#else
    public import Glibc
#endif

/// State guarded by a pthread mutex: the only kind of lock in the engine.
///
/// `Synchronization.Mutex` would serve as well, but the thread sanitizer does not support it on Linux. Inside
/// ``withLock(_:)``, resume no continuation and call no closure that was passed in from elsewhere.
@usableFromInline package final class Locked<State>: @unchecked Sendable {
    // Sendable: `state` is read and written only while `mutex` is held.
    @usableFromInline var state: State
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Creates a lock that guards `state`.
    package init(_ state: State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Gives exclusive access to the state. Inlinable for the reason at ``Queue``.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Blocks until `take` returns a value. `take` is called at once and after each wake-up of the ``LockSignal``.
    package func wait<Result>(for signal: LockSignal, _ take: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = take(&state) { return result }
            pthread_cond_wait(signal.condition, mutex)
        }
    }
}

/// Wakes threads that sleep in ``Locked/wait(for:_:)``.
package final class LockSignal: @unchecked Sendable {
    // Sendable: a condition variable may be used from any thread.
    fileprivate let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        condition = .allocate(capacity: 1)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    package func wakeOne() { pthread_cond_signal(condition) }

    package func wakeAll() { pthread_cond_broadcast(condition) }
}
