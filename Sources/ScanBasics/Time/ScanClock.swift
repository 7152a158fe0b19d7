/// A moment on a ``ScanClock``: nanoseconds since an origin of the clock's choice.
public struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the clock's origin.
    public var nanoseconds: Int64

    /// The moment this many nanoseconds after the clock's origin.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Orders by time.
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The moment `duration` later, or the last one that can be represented (292 years after the origin).
    public func advanced(by duration: Duration) -> Instant {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (length, isMuchTooLong) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let (sum, isTooLate) = nanoseconds.addingReportingOverflow(length)
        if isTooLong || isMuchTooLong || isTooLate { return Instant(nanoseconds: duration < .zero ? .min : .max) }
        return Instant(nanoseconds: sum)
    }

    /// Time from `earlier` to this moment.
    public func since(_ earlier: Instant) -> Duration { .nanoseconds(nanoseconds - earlier.nanoseconds) }
}

/// Names a timer that was set on a ``ScanClock``.
public struct TimerID: Hashable, Sendable {
    /// Unique within the clock.
    public var rawValue: UInt64

    /// A timer's name.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Monotonic time and timers. The engine reads no other clock, so that tests and simulations can control time.
public protocol ScanClock: Sendable {
    /// The time of this clock.
    var now: Instant { get }

    /// Calls `fire` once at `instant` or soon after, from an executor of the clock's choice, unless cancelled first.
    func schedule(at instant: Instant, _ fire: @escaping @Sendable () -> Void) -> TimerID

    /// Cancels a timer; one that has fired is ignored.
    func cancel(_ timer: TimerID)
}
