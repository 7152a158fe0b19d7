typealias Waiter = UnsafeContinuation<Void, Never>

/// A job's view of changes: none is lost between two waits.
struct Watch {
    var hasChanged = false
    var waiter: Waiter?
}

extension Systems.Registry {
    /// Marks a change for every job but one.
    /// - Returns: who must be resumed, outside the lock.
    mutating func wake(except job: Int? = nil) -> [Waiter] {
        guard watches.count > 1 || job == nil else { return [] }
        var woken: [Waiter] = []
        // The oldest job first: dictionaries have no order of their own.
        for key in watches.keys.sorted() where key != job {
            if let waiter = watches[key]?.waiter {
                woken.append(waiter)
                watches[key]?.waiter = nil
            } else {
                watches[key]?.hasChanged = true
            }
        }
        return woken
    }
}

extension Systems {
    /// A job begins; it will hear of changes until ``unwatch(_:)``.
    package func watch() -> Int {
        registry.withLock { registry in
            registry.nextJob += 1
            registry.watches[registry.nextJob] = Watch()
            return registry.nextJob
        }
    }

    /// A job ended, and waits no more.
    package func unwatch(_ job: Int) { registry.withLock { $0.watches[job] = nil } }

    /// Returns when something has changed since the last call that is not the job's own doing: a system joined, left
    /// or is no more set aside, another job gave room back. Also returns when the task is cancelled.
    package func change(for job: Int) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (waiter: Waiter) in
                let isReady = registry.withLock { registry in
                    if Task.isCancelled || registry.watches[job]?.hasChanged != false {
                        registry.watches[job]?.hasChanged = false
                        return true
                    }
                    registry.watches[job]?.waiter = waiter
                    return false
                }
                if isReady { waiter.resume() }
            }
        } onCancel: {
            poke(job)
        }
    }

    /// Wakes one job.
    func poke(_ job: Int) {
        let waiter = registry.withLock { registry in
            let waiter = registry.watches[job]?.waiter
            registry.watches[job]?.waiter = nil
            if waiter == nil { registry.watches[job]?.hasChanged = true }
            return waiter
        }
        waiter?.resume()
    }
}
