import CLibUV
public import ScanCluster
import Synchronization

/// The loop's timers: a wheel, and one timer of libuv that wakes the loop for the wheel's next deadline.
final class LoopTimers: @unchecked Sendable {
    // Sendable: touched only on the loop's thread.

    private let timer: UnsafeMutablePointer<uv_timer_t>
    private var wheel: TimerWheel<@Sendable () -> Void>
    private var due: [TimerID] = []
    private var armed: Instant?
    private var hasGoneOff = false
    /// Timers that were set from other threads, by the IDs that those threads have.
    private var foreign: [UInt64: TimerID] = [:]

    init(uv: UnsafeMutablePointer<uv_loop_t>) {
        timer = .allocate(capacity: 1)
        uv_timer_init(uv, timer)
        wheel = TimerWheel(now: Instant(nanoseconds: Int64(bitPattern: uv_hrtime())))
        // The loop keeps this object as long as libuv's timer.
        timer.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    func schedule(at instant: Instant, _ fire: @escaping @Sendable () -> Void) -> TimerID {
        wheel.schedule(at: instant, fire)
    }

    func cancel(_ id: TimerID) { wheel.cancel(id) }

    func scheduleForeign(_ name: UInt64, at instant: Instant, _ fire: @escaping @Sendable () -> Void) {
        foreign[name] = wheel.schedule(at: instant) { [unowned self] in
            // Timers fire on the loop's thread, to which this dictionary is confined.
            self.foreign[name] = nil
            fire()
        }
    }

    func cancelForeign(_ name: UInt64) {
        if let id = foreign.removeValue(forKey: name) { wheel.cancel(id) }
    }

    /// Whether the next deadline has changed since libuv's timer was set, or that timer has gone off.
    var isStale: Bool { hasGoneOff || wheel.nextDeadline != armed }

    /// Sets libuv's timer to the next deadline, if it is stale.
    func arm() {
        guard isStale else { return }
        hasGoneOff = false
        armed = wheel.nextDeadline
        guard let armed else {
            uv_timer_stop(timer)
            return
        }
        uv_update_time(timer.pointee.loop)
        let wait = armed.nanoseconds - Int64(bitPattern: uv_hrtime())
        // libuv reads a coarser clock, so the timer may be early; and one that goes off before libuv waits would not
        // end the wait. Hence it repeats until it is set again.
        uv_timer_start(
            timer,
            { timer in
                guard let data = timer?.pointee.data else { return }
                Unmanaged<LoopTimers>.fromOpaque(data).takeUnretainedValue().hasGoneOff = true
            }, wait > 0 ? UInt64((wait + 999_999) / 1_000_000) : 0, 1)
    }

    /// Fires the timers that are due.
    func fire(at now: Instant) {
        if let deadline = wheel.nextDeadline, deadline <= now {
            wheel.expire(until: now, into: &due)
            // A timer that fires may cancel another.
            for timer in due { wheel.take(timer)?() }
            due.removeAll(keepingCapacity: true)
        }
    }
}

extension EventLoop {
    /// Bit 63 distinguishes the IDs given to other threads from those of the wheel.
    private static let foreignBit: UInt64 = 1 << 63
    private static let foreignCount = Atomic<UInt64>(0)

    /// Calls `fire` on the loop's thread at `instant` or up to 1 ms later. May be called from any thread.
    public func schedule(at instant: Instant, _ fire: @escaping @Sendable () -> Void) -> TimerID {
        if isOnLoop { return timers.schedule(at: instant, fire) }
        let name = Self.foreignCount.add(1, ordering: .relaxed).newValue | Self.foreignBit
        execute { self.timers.scheduleForeign(name, at: instant, fire) }
        return TimerID(rawValue: name)
    }

    /// Cancels a timer. On the loop's thread it takes effect at once.
    public func cancel(_ timer: TimerID) {
        if timer.rawValue & Self.foreignBit != 0 {
            execute { self.timers.cancelForeign(timer.rawValue) }
        } else if isOnLoop {
            timers.cancel(timer)
        } else {
            execute { self.timers.cancel(timer) }
        }
    }
}
