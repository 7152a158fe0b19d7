/// A moment on a ``ScanClock``, in nanoseconds since the clock's origin.
public struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the clock's origin.
    public var nanoseconds: Int64

    /// Creates the moment this many nanoseconds after the clock's origin.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Compares by time.
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the moment `duration` later, clamped to the representable range (292 years around the origin).
    public func advanced(by duration: Duration) -> Instant {
        // One division of 128 bits: `components` takes several.
        let length = Int64(exactly: duration.attoseconds / 1_000_000_000)
        guard let sum = length.map(nanoseconds.addingReportingOverflow), !sum.overflow else {
            return Instant(nanoseconds: duration < .zero ? .min : .max)
        }
        return Instant(nanoseconds: sum.partialValue)
    }

    /// Returns the time from `earlier` to this moment, at most 292 years.
    public func since(_ earlier: Instant) -> Duration {
        let (difference, isTooLong) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return .nanoseconds(isTooLong ? (self < earlier ? .min : .max) : difference)
    }
}

/// Identifies a timer of a ``ScanClock``.
public struct TimerID: Hashable, Sendable {
    /// Unique within the clock.
    public var rawValue: UInt64

    /// Creates an identifier from its raw value.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Monotonic time and timers. The engine reads no other clock, so that tests and simulations can control time.
public protocol ScanClock: Sendable {
    /// The time of this clock.
    var now: Instant { get }

    /// Calls `fire` once at or soon after `instant`, on an executor of the clock's choice, unless cancelled before.
    func schedule(at instant: Instant, _ fire: @escaping @Sendable () -> Void) -> TimerID

    /// Cancels a timer. Has no effect on a timer that has fired.
    func cancel(_ timer: TimerID)
}
