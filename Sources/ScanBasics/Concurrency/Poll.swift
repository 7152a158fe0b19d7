/// An event of ``poll(_:usual:within:ask:late:)``.
package enum PollEvent<Target: Sendable, Answer: Sendable>: Sendable {
    /// A target has answered.
    case answered(Target, Answer)
    /// The time that answers usually take has passed.
    case isLate
}

/// Queries several targets concurrently.
/// - Parameters:
///   - targets: the targets to query.
///   - usual: time after which an `isLate` event is sent; nil for none.
///   - limit: time allowed for the answers.
///   - ask: queries one target.
///   - late: receives an answer that arrives after the stream has ended.
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
