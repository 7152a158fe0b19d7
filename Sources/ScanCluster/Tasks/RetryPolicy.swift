/// How often, and when, a task is tried again that throws, takes too long or is lost with its system. Pure.
///
/// ```swift
/// var retryPolicy: RetryPolicy? { RetryPolicy(attempts: 5, backOff: .seconds(1), finalErrors: [.timedOut]) }
/// ```
public struct RetryPolicy: Equatable, Sendable {
    /// Attempts that may throw or time out before the task is reported as failed; at least 1. In place of
    /// ``ScanCoordinator/Options/maxAttempts``.
    public var attempts: Int
    /// Least time that passes before the second attempt, and doubles with each further one. Other tasks run meanwhile, and the
    /// attempt waits for a free slot after those that were sent before. A task whose system failed, or gave it back, is
    /// tried elsewhere at once.
    public var backOff: Duration
    /// Longest of these times.
    public var longestBackOff: Duration
    /// Errors of an attempt with which the task is reported as failed at once, such as
    /// ``ScanError/Code/timedOut`` or ``ScanError/Code/systemLost``.
    public var finalErrors: Set<ScanError.Code>
    /// Whether a task that throws is tried again.
    public var retriesThrownErrors: Bool

    /// A policy; by default that of the options' defaults.
    public init(
        attempts: Int = 3, backOff: Duration = .zero, longestBackOff: Duration = .seconds(60),
        finalErrors: Set<ScanError.Code> = [], retriesThrownErrors: Bool = true
    ) {
        self.attempts = max(1, attempts)
        self.backOff = max(.zero, backOff)
        self.longestBackOff = max(.zero, longestBackOff)
        self.finalErrors = finalErrors
        self.retriesThrownErrors = retriesThrownErrors
    }

    /// The wait after so many attempts have failed.
    package func wait(afterFailures count: Int) -> Duration {
        var wait = min(backOff, longestBackOff)
        for _ in 1..<max(1, min(count, 64)) {
            // The sum of long times would overflow.
            wait = wait > longestBackOff / 2 ? longestBackOff : wait + wait
        }
        return wait
    }

    /// Whether an attempt that ended like this ends the task.
    package func isFinal(_ outcome: AttemptOutcome) -> Bool {
        switch outcome {
        case .finished: false
        case .failed: !retriesThrownErrors
        case .error(let error): finalErrors.contains(error.code)
        }
    }
}
