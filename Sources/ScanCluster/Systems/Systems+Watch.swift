typealias Waiter = UnsafeContinuation<Void, Never>

/// Notifies a run of changes; one between two waits is not lost.
struct Watch {
    var hasChanged = false
    var waiter: Waiter?
}

extension Systems.Registry {
    /// Marks a change for every run but one.
    /// - Returns: the waiters to resume, outside the lock.
    mutating func wake(except run: RunID? = nil) -> [Waiter] {
        guard watches.count > 1 || run == nil else { return [] }
        var woken: [Waiter] = []
        // The oldest run first: dictionaries have no order of their own.
        for key in watches.keys.sorted() where key != run {
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
    /// A run begins. It is notified of changes until ``unwatch(_:)``.
    package func watch() -> RunID {
        registry.withLock { registry in
            registry.lastRun += 1
            let run = RunID(rawValue: registry.lastRun)
            registry.watches[run] = Watch()
            return run
        }
    }

    /// A run ended; it is no longer notified.
    package func unwatch(_ run: RunID) { registry.withLock { $0.watches[run] = nil } }

    /// Returns when something other than the run caused a change since the last call: a system joined, left or is
    /// no longer set aside, or another run released room. Also returns when the task is cancelled.
    package func change(for run: RunID) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (waiter: Waiter) in
                let isReady = registry.withLock { registry in
                    if Task.isCancelled || registry.watches[run]?.hasChanged != false {
                        registry.watches[run]?.hasChanged = false
                        return true
                    }
                    registry.watches[run]?.waiter = waiter
                    return false
                }
                if isReady { waiter.resume() }
            }
        } onCancel: {
            poke(run)
        }
    }

    func poke(_ run: RunID) {
        let waiter = registry.withLock { registry in
            let waiter = registry.watches[run]?.waiter
            registry.watches[run]?.waiter = nil
            if waiter == nil { registry.watches[run]?.hasChanged = true }
            return waiter
        }
        waiter?.resume()
    }
}
