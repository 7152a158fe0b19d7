/// What came first of a ``TimeoutTask``.
package enum TimeoutOutcome<Value> {
    /// The work's result.
    case result(Value)
    /// The time was over.
    case expired
    /// The waiting task was cancelled.
    case cancelled
}

extension TimeoutOutcome: Sendable where Value: Sendable {}
extension TimeoutOutcome: Equatable where Value: Equatable {}

/// Decides which of a result, an expiry and a cancellation came first. Late ones are dropped.
package struct TimeoutState<Value, Waiter> {
    private enum State {
        /// Nothing has come and nobody waits: goes to `waiting` or `settled`.
        case open
        /// Nothing has come: goes to `finished`.
        case waiting(Waiter)
        /// The outcome came before the waiter: goes to `finished`.
        case settled(TimeoutOutcome<Value>)
        /// The outcome was handed over. Final.
        case finished
    }
    private var state = State.open

    /// Open.
    package init() {}

    /// Somebody waits.
    /// - Returns: the waiter and its outcome, if that is known already: resume it.
    package mutating func wait(_ waiter: Waiter) -> (Waiter, TimeoutOutcome<Value>)? {
        switch state {
        case .open:
            state = .waiting(waiter)
            return nil
        case .settled(let outcome):
            state = .finished
            return (waiter, outcome)
        case .waiting, .finished:
            preconditionFailure("a TimeoutTask is awaited once")
        }
    }

    /// An outcome came.
    /// - Returns: the waiter to resume with it, if it is the first outcome and somebody waits.
    package mutating func settle(_ outcome: TimeoutOutcome<Value>) -> (Waiter, TimeoutOutcome<Value>)? {
        switch state {
        case .open:
            state = .settled(outcome)
            return nil
        case .waiting(let waiter):
            state = .finished
            return (waiter, outcome)
        case .settled, .finished:
            return nil
        }
    }
}
