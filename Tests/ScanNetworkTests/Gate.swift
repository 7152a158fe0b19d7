import ScanCluster
import ScanNetwork

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Gates at which scans wait, and at which tests wait for scans. Numbered, because tasks travel by value.
enum Gate {
    private struct State {
        var isOpen = false
        var entered = 0
        var cancelled = 0
    }

    private static let states = Locked<[Int: State]>([:])
    private static let nextNumber = Locked(0)

    static func make() -> Int {
        nextNumber.withLock { number in
            number += 1
            return number
        }
    }

    static func open(_ gate: Int) { states.withLock { $0[gate, default: State()].isOpen = true } }
    static func isOpen(_ gate: Int) -> Bool { states.withLock { $0[gate]?.isOpen ?? false } }
    static func entered(_ gate: Int) { states.withLock { $0[gate, default: State()].entered += 1 } }
    static func cancelled(_ gate: Int) { states.withLock { $0[gate, default: State()].cancelled += 1 } }

    /// Scans run on threads of their own: a short sleep there blocks no other work.
    static func pause() { usleep(200) }

    /// Waits until so many scans stand at the gate.
    static func entered(_ gate: Int, atLeast count: Int) async {
        await eventually { states.withLock { $0[gate]?.entered ?? 0 } >= count }
    }

    /// Waits until so many scans were cancelled at the gate.
    static func cancelled(_ gate: Int, atLeast count: Int) async {
        await eventually { states.withLock { $0[gate]?.cancelled ?? 0 } >= count }
    }
}

/// Waits until `condition` holds; the test's time limit ends a wait that fails. Checks every 2 ms, off the pool's
/// threads.
func eventually(_ condition: () async -> Bool) async {
    while !(await condition()) {
        await withCheckedContinuation { continuation in
            let loop = EventLoop.shared
            _ = loop.schedule(at: loop.now.advanced(by: .milliseconds(2))) { continuation.resume() }
        }
    }
}
