import CLibUV
public import ScanCluster
import Synchronization

/// The loop's timers, which are libuv's. Those that went off fire after libuv's turn, in the order of their deadlines.
final class LoopTimers: @unchecked Sendable {
    // Sendable: touched only on the loop's thread.

    /// A timer of libuv, which the loop keeps and sets again and again.
    private final class Timer {
        let handle = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
        unowned let timers: LoopTimers
        var id: UInt64 = 0
        var deadline = Instant(nanoseconds: 0)
        var fire: (@Sendable () -> Void)?

        init(of timers: LoopTimers) {
            self.timers = timers
            uv_timer_init(timers.uv, handle)
            handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        }

        /// Sets libuv's timer. Its clock is that of deadlines in whole milliseconds: the end is rounded up, not the wait, so
        /// that the timer goes off once.
        func set() {
            uv_update_time(timers.uv)
            let (whole, part) = max(0, deadline.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000)
            let (end, now) = (UInt64(whole) + (part > 0 ? 1 : 0), uv_now(timers.uv))
            uv_timer_start(
                handle,
                { handle in
                    guard let data = handle?.pointee.data else { return }
                    let timer = Unmanaged<Timer>.fromOpaque(data).takeUnretainedValue()
                    timer.timers.due.append(timer)
                    // Otherwise libuv, which fires timers before it waits, would wait nevertheless.
                    uv_stop(timer.timers.uv)
                }, end > now ? end - now : 0, 0)
        }
    }

    private let uv: UnsafeMutablePointer<uv_loop_t>
    private var running: [UInt64: Timer] = [:]
    private var spare: [Timer] = []
    private var due: [Timer] = []

    init(uv: UnsafeMutablePointer<uv_loop_t>) { self.uv = uv }

    /// Whether a timer has gone off.
    var isDue: Bool { !due.isEmpty }

    func schedule(_ id: UInt64, at deadline: Instant, _ fire: @escaping @Sendable () -> Void) {
        let timer = spare.popLast() ?? Timer(of: self)
        (timer.id, timer.deadline, timer.fire) = (id, deadline, fire)
        running[id] = timer
        timer.set()
    }

    func cancel(_ id: UInt64) { _ = take(id) }

    private func take(_ id: UInt64) -> (@Sendable () -> Void)? {
        guard let timer = running.removeValue(forKey: id) else { return nil }
        uv_timer_stop(timer.handle)
        spare.append(timer)
        defer { timer.fire = nil }
        return timer.fire
    }

    /// Fires the timers that are due.
    func fire(at now: Instant) {
        if due.isEmpty { return }
        let gone = due.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }.map { ($0.id, $0.deadline) }
        due.removeAll(keepingCapacity: true)
        // A timer that fires may cancel another.
        for (id, deadline) in gone { if deadline <= now { take(id)?() } else { running[id]?.set() } }
    }
}

extension EventLoop {
    /// Identifiers of timers: odd ones are of timers that other threads schedule.
    private static let timerCount = Atomic<UInt64>(0)
    /// Timers of other threads that are not set yet.
    private static let onTheirWay = Locked<Set<UInt64>>([])

    /// Calls `fire` on the loop's thread at `instant` or up to 1 ms later. May be called from any thread.
    public func schedule(at instant: Instant, _ fire: @escaping @Sendable () -> Void) -> TimerID {
        let number = 2 * Self.timerCount.add(1, ordering: .relaxed).newValue
        if isCurrent {
            timers.schedule(number, at: instant, fire)
            return TimerID(rawValue: number)
        }
        let id = number + 1
        Self.onTheirWay.withLock { _ = $0.insert(id) }
        execute {
            // It may have been cancelled on the loop's thread meanwhile.
            if Self.onTheirWay.withLock({ $0.remove(id) }) != nil { self.timers.schedule(id, at: instant, fire) }
        }
        return TimerID(rawValue: id)
    }

    /// Cancels a timer. On the loop's thread it takes effect at once.
    public func cancel(_ timer: TimerID) {
        guard isCurrent else { return execute { self.timers.cancel(timer.rawValue) } }
        let isForeign = timer.rawValue % 2 == 1
        if isForeign, Self.onTheirWay.withLock({ $0.remove(timer.rawValue) }) != nil { return }
        timers.cancel(timer.rawValue)
    }
}
