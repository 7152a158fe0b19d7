/// Awaits a result, an expiry or a cancellation, whichever comes first, and leaves no child behind.
///
/// There is no racing child: the work is started by the caller and calls ``settle(_:)``; expiry is a timer of a
/// ``ScanClock``; cancellation is that of the awaiting task. What loses the race is dropped.
/// ```
/// let answer = TimeoutTask<Int>()
/// let handle = work.start { answer.settle($0) }
/// switch await answer.outcome(within: .seconds(1), on: clock, abandon: { work.cancel(handle) }) { … }
/// ```
package final class TimeoutTask<Value: Sendable>: Sendable {
    // The continuation is unsafe because the state machine hands it out exactly once, and checking would cost every
    // attempt an allocation.
    private typealias Waiter = UnsafeContinuation<TimeoutOutcome<Value>, Never>
    private let state = Locked(TimeoutState<Value, Waiter>())

    /// A race that nothing has entered yet.
    package init() {}

    /// The work ended. Ignored after the first outcome.
    package func settle(_ value: Value) { settle(with: .result(value)) }

    /// The time is over, by another clock than that of ``outcome(within:on:abandon:)``.
    package func expire() { settle(with: .expired) }

    /// Waits for the first outcome. Call once.
    /// - Parameters:
    ///   - timeout: time until expiry, from now; nil for no limit.
    ///   - clock: keeps the time.
    ///   - abandon: called, in the caller's isolation, when expiry or cancellation won: tell the work to stop.
    /// - Returns: what came first.
    package func outcome(
        within timeout: Duration?, on clock: any ScanClock, abandon: () -> Void
    ) async -> TimeoutOutcome<Value> {
        let timer = timeout.map { timeout in
            clock.schedule(at: clock.now.advanced(by: timeout)) { self.settle(with: .expired) }
        }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { (waiter: Waiter) in
                resume(state.withLock { $0.wait(waiter) })
            }
        } onCancel: {
            settle(with: .cancelled)
        }
        switch outcome {
        case .result:
            if let timer { clock.cancel(timer) }
        case .cancelled:
            if let timer { clock.cancel(timer) }
            abandon()
        case .expired:
            abandon()
        }
        return outcome
    }

    private func settle(with outcome: TimeoutOutcome<Value>) {
        resume(state.withLock { $0.settle(outcome) })
    }

    private func resume(_ settled: (Waiter, TimeoutOutcome<Value>)?) {
        if let (waiter, outcome) = settled { waiter.resume(returning: outcome) }
    }
}
