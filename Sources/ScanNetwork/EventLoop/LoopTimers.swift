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

        /// Sets libuv's timer. It counts milliseconds of a coarser clock, so that it may be early.
        func set(at now: Instant) {
            let wait = max(0, deadline.nanoseconds - now.nanoseconds)
            uv_update_time(timers.uv)
            uv_timer_start(
                handle,
                { handle in
                    guard let data = handle?.pointee.data else { return }
                    let timer = Unmanaged<Timer>.fromOpaque(data).takeUnretainedValue()
                    timer.timers.due.append(timer)
                    // Otherwise libuv, which fires timers before it waits, would wait nevertheless.
                    uv_stop(timer.timers.uv)
                }, UInt64((wait + 999_999) / 1_000_000), 0)
        }
    }

    private let uv: UnsafeMutablePointer<uv_loop_t>
    private var running: [UInt64: Timer] = [:]
    private var spare: [Timer] = []
    private var due: [Timer] = []

    init(uv: UnsafeMutablePointer<uv_loop_t>) { self.uv = uv }

    /// Whether a timer has gone off.
    var isDue: Bool { !due.isEmpty }

    func schedule(_ id: UInt64, at deadline: Instant, from now: Instant, _ fire: @escaping @Sendable () -> Void) {
        let timer = spare.popLast() ?? Timer(of: self)
        (timer.id, timer.deadline, timer.fire) = (id, deadline, fire)
        running[id] = timer
        timer.set(at: now)
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
        for (id, deadline) in gone { if deadline <= now { take(id)?() } else { running[id]?.set(at: now) } }
    }
}

extension EventLoop {
    private static let timerCount = Atomic<UInt64>(0)

    /// Calls `fire` on the loop's thread at `instant` or up to 1 ms later. May be called from any thread.
    public func schedule(at instant: Instant, _ fire: @escaping @Sendable () -> Void) -> TimerID {
        let id = Self.timerCount.add(1, ordering: .relaxed).newValue
        if isOnLoop {
            timers.schedule(id, at: instant, from: now, fire)
        } else {
            execute { self.timers.schedule(id, at: instant, from: self.now, fire) }
        }
        return TimerID(rawValue: id)
    }

    /// Cancels a timer. On the loop's thread it takes effect at once.
    public func cancel(_ timer: TimerID) {
        if isOnLoop { timers.cancel(timer.rawValue) } else { execute { self.timers.cancel(timer.rawValue) } }
    }
}
