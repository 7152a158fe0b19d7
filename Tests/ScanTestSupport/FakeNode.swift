package import ScanCluster
package import SkyfarmTesting

/// A node in memory: runs tasks at times of a manual clock, with the faults that a test requests.
///
/// It is its own ``ScanTransport``. Completions come from the clock's thread; the system that owns the transport may
/// run on any executor, since all state here is guarded by a lock.
package final class FakeNode: ScanTransport {
    /// The node's response to an attempt.
    package enum Behaviour: Sendable {
        /// Scans, and answers after a delay.
        case answer(after: Duration)
        /// Answers with the failure of a scan that threw.
        case throwing(String, log: [String] = [], after: Duration)
        /// Never answers.
        case hang
        /// Fails with this error after a delay.
        case fail(ScanError.Code, after: Duration)
        /// Answers with the output that `corrupt` makes of the right one; without it, with an invalid response.
        case garbage(after: Duration)
        /// Ends the connection, and with it all attempts.
        case crash(after: Duration)
    }

    private struct State {
        var serial: UInt64 = 0
        var running: [UInt64: @Sendable (ScanError) -> Void] = [:]
        var kept: [BulkKey: BulkBytes] = [:]
        var started = 0
        var transfers = 0
        var cancelled = 0
        var isClosed = false
        var most = 0
    }
    private let state = Locked(State())
    private let clock: ManualClock
    private let corrupt: (@Sendable (any Sendable) -> (any Sendable))?
    private let behaviour: @Sendable (_ started: Int, _ task: any Sendable) -> Behaviour
    private let onCrash: @Sendable () -> Void
    /// The node's name.
    package let name: String

    /// A node.
    /// - Parameters:
    ///   - name: the node's name.
    ///   - clock: keeps the time.
    ///   - onCrash: called when the connection ends.
    ///   - corrupt: makes the outputs of ``Behaviour/garbage(after:)``.
    ///   - behaviour: what to do with a task; its first argument is the number of attempts before.
    package init(
        name: String, clock: ManualClock, onCrash: @escaping @Sendable () -> Void = {},
        corrupt: (@Sendable (any Sendable) -> (any Sendable))? = nil,
        behaviour: @escaping @Sendable (_ started: Int, _ task: any Sendable) -> Behaviour = { _, _ in
            .answer(after: .milliseconds(1))
        }
    ) {
        self.name = name
        self.clock = clock
        self.onCrash = onCrash
        self.corrupt = corrupt
        self.behaviour = behaviour
    }

    /// Attempts that were received.
    package var started: Int { state.withLock { $0.started } }
    /// Attempts that carried bulk bytes.
    package var transfers: Int { state.withLock { $0.transfers } }
    /// Attempts that were cancelled.
    package var cancelled: Int { state.withLock { $0.cancelled } }
    /// Attempts in flight.
    package var running: Int { state.withLock { $0.running.count } }
    /// Most attempts that were in flight at once.
    package var mostRunning: Int { state.withLock { $0.most } }

    package func payloads(of source: BulkSource) -> [Payload] {
        state.withLock { state in
            Payload.order(of: source, holdsKey: source.key.map { state.kept[$0] != nil } ?? false)
        }
    }

    package func start(_ attempt: AttemptRequest, completion: @escaping AttemptCompletion) -> AttemptHandle {
        let (serial, count, isClosed) = state.withLock { state in
            state.serial += 1
            if attempt.bulk != nil {
                state.transfers += 1
                if let key = attempt.bulkKey { state.kept[key] = attempt.bulk }
            }
            state.running[state.serial] = { completion(.error($0), nil) }
            state.most = max(state.most, state.running.count)
            defer { state.started += 1 }
            return (state.serial, state.started, state.isClosed)
        }
        let finish: AttemptCompletion = { [self] outcome, output in
            if state.withLock({ $0.running.removeValue(forKey: serial) }) != nil { completion(outcome, output) }
        }
        if isClosed {
            later(.zero) { finish(.error(ScanError(.systemLost, "the connection is closed")), nil) }
        } else {
            behave(behaviour(count, attempt.task), attempt, finish)
        }
        return AttemptHandle(rawValue: serial)
    }

    package func cancel(_ handle: AttemptHandle) {
        state.withLock { state in
            if state.running.removeValue(forKey: handle.rawValue) != nil { state.cancelled += 1 }
        }
    }

    /// Ends the connection.
    package func close() {
        let lost = state.withLock { state in
            state.isClosed = true
            defer { state.running = [:] }
            return state.running.sorted { $0.key < $1.key }.map(\.value)
        }
        for completion in lost { completion(ScanError(.systemLost, "the connection was reset")) }
    }

    private func behave(_ behaviour: Behaviour, _ attempt: AttemptRequest, _ finish: @escaping AttemptCompletion) {
        let task = attempt.task
        let bulk = attempt.bulk ?? attempt.bulkKey.flatMap { key in state.withLock { $0.kept[key] } }
        switch behaviour {
        case .answer(let delay):
            later(delay) {
                let seconds = delay / .seconds(1)
                do {
                    finish(.finished(seconds: seconds), PlainOutput(try task.scan(ScanContext(bulk: bulk))))
                } catch {
                    finish(.failed("\(error)", seconds: seconds), nil)
                }
            }
        case .throwing(let message, let log, let delay):
            later(delay) { finish(.failed(message, log: log, seconds: delay / .seconds(1)), nil) }
        case .hang:
            break
        case .fail(let code, let delay):
            later(delay) { finish(.error(ScanError(code, "a fault of the test")), nil) }
        case .garbage(let delay):
            later(delay) { [corrupt] in
                guard let corrupt, let output = try? task.scan(ScanContext(bulk: bulk)) else {
                    return finish(.error(ScanError(.invalidResponse, "garbage")), nil)
                }
                finish(.finished(seconds: delay / .seconds(1)), PlainOutput(corrupt(output)))
            }
        case .crash(let delay):
            later(delay) { [self] in
                close()
                onCrash()
            }
        }
    }

    private func later(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
        _ = clock.schedule(at: clock.now.advanced(by: delay), body)
    }
}
