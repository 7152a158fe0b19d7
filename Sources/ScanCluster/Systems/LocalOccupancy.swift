/// Counts the scans of a local system that nobody waits for any more but that still hold their thread.
///
/// An attempt that timed out is given up at once, but its thread cannot be stopped: the slot stays taken until the
/// scan ends. Such scans are the submitted ones that have not ended, less the ones somebody waits for.
final class LocalOccupancy: Sendable {
    private struct State {
        var running = 0
        var awaited = 0
        var observer: (@Sendable () -> Void)?
        var abandoned: Int { max(0, running - awaited) }
    }
    private let state = Locked(State())

    /// Scans that hold a slot in vain.
    var abandoned: Int { state.withLock { $0.abandoned } }

    /// Calls `observer` after each change of ``abandoned``.
    func observe(_ observer: @escaping @Sendable () -> Void) { state.withLock { $0.observer = observer } }

    /// A scan was submitted, and somebody waits for it.
    func begin() {
        change {
            $0.running += 1
            $0.awaited += 1
        }
    }

    /// A scan left its thread.
    func ended() { change { $0.running -= 1 } }

    /// Somebody got its outcome, or gave up waiting.
    func left() { change { $0.awaited -= 1 } }

    private func change(_ body: (inout State) -> Void) {
        let observer = state.withLock { state in
            let before = state.abandoned
            body(&state)
            return state.abandoned == before ? nil : state.observer
        }
        observer?()
    }
}
