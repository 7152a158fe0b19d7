// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Synchronization

public protocol Service: Sendable {
    func run() async throws
}

/// Shuts services down: only this stub has it.
public enum GracefulShutdown {
    static let waiters = Mutex<[AsyncStream<Void>.Continuation]>([])

    public static func trigger() {
        for waiter in waiters.withLock({ $0 }) { waiter.finish() }
    }
}

public func cancelWhenGracefulShutdown<Result: Sendable>(
    _ operation: @Sendable @escaping () async throws -> Result
) async rethrows -> Result {
    let (shutdown, continuation) = AsyncStream<Void>.makeStream()
    GracefulShutdown.waiters.withLock { $0.append(continuation) }
    return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            for await _ in shutdown {}
            return nil
        }
        while let ended = try await group.next() {
            group.cancelAll()
            if let ended { return ended }
        }
        preconditionFailure("the operation returns")
    }
}
