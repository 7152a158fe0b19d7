/// Asks several targets at the same time.
/// - Parameters:
///   - targets: who is asked.
///   - limit: time for the answers.
///   - ask: asks one of them.
///   - late: called with an answer that comes when nobody reads answers any more.
/// - Returns: the answers in the order of their arrival, until `limit` has passed.
func poll<Target: Sendable, Answer: Sendable>(
    _ targets: some Sequence<Target>, within limit: Duration, ask: @escaping @Sendable (Target) async -> Answer,
    late: @escaping @Sendable (Answer) -> Void
) -> AsyncStream<(target: Target, answer: Answer)> {
    AsyncStream { continuation in
        for target in targets {
            Task {
                let answer = await ask(target)
                if case .terminated = continuation.yield((target, answer)) { late(answer) }
            }
        }
        let deadline = Task {
            try? await Task.sleep(for: limit)
            continuation.finish()
        }
        continuation.onTermination = { _ in deadline.cancel() }
    }
}
