/// What happens while several targets are asked.
package enum PollEvent<Target: Sendable, Answer: Sendable>: Sendable {
    case answered(Target, Answer)
    /// The time that answers usually take has passed.
    case isLate
}

/// Asks several targets at the same time.
/// - Parameters:
///   - targets: who is asked.
///   - usual: time after which there is an event `isLate`; nil for none.
///   - limit: time for the answers.
///   - ask: asks one of them.
///   - late: called with an answer that comes when nobody reads answers any more.
/// - Returns: the answers in the order of their arrival, until `limit` has passed.
package func poll<Target: Sendable, Answer: Sendable>(
    _ targets: some Sequence<Target>, usual: Duration? = nil, within limit: Duration,
    ask: @escaping @Sendable (Target) async -> Answer, late: @escaping @Sendable (Answer) -> Void
) -> AsyncStream<PollEvent<Target, Answer>> {
    AsyncStream { continuation in
        for target in targets {
            Task {
                let answer = await ask(target)
                if case .terminated = continuation.yield(.answered(target, answer)) { late(answer) }
            }
        }
        let timer = Task {
            if let usual {
                try? await Task.sleep(for: usual)
                continuation.yield(.isLate)
            }
            try? await Task.sleep(for: limit - (usual ?? .zero))
            continuation.finish()
        }
        continuation.onTermination = { _ in timer.cancel() }
    }
}
