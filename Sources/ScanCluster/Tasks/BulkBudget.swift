import Synchronization

/// Bounds the memory of bulk bytes in transit to nodes, whatever their number of slots.
///
/// An attempt holds its share from before the bytes are read until their last user, the connection, releases them.
/// One attempt may always hold its bytes, however many they are.
package final class BulkBudget: Sendable {
    // The continuation is unsafe because the state hands each out exactly once.
    private typealias Waiter = UnsafeContinuation<Bool, Never>
    private let state: Locked<State<Waiter>>
    private let tickets = Atomic<UInt64>(0)

    /// A budget of `limit` bytes.
    package init(limit: Int) { state = Locked(State(limit: limit)) }

    /// The same bytes, read only when the budget has room for them.
    package func limiting(_ source: BulkSource) -> BulkSource {
        BulkSource(source) { packing in try await self.load(source.byteCount) { try await source.load(packing) } }
    }

    private func load(
        _ byteCount: Int, _ load: @Sendable () async throws -> BulkBytes
    ) async throws -> BulkBytes {
        let share = max(0, byteCount)
        guard await take(share) else { throw CancellationError() }
        do {
            return BulkBytes(lending: try await load()) { self.giveBack(share) }
        } catch {
            giveBack(share)
            throw error
        }
    }

    /// Waits for room.
    /// - Returns: false if the task was cancelled meanwhile.
    private func take(_ byteCount: Int) async -> Bool {
        let ticket = tickets.add(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { (waiter: Waiter) in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    return state.take(byteCount, ticket: ticket, waiter: waiter) ? true : nil
                }
                if let answer { waiter.resume(returning: answer) }
            }
        } onCancel: {
            let (cancelled, admitted) = state.withLock { $0.cancel(ticket) }
            cancelled?.resume(returning: false)
            for waiter in admitted { waiter.resume(returning: true) }
        }
    }

    private func giveBack(_ byteCount: Int) {
        for waiter in state.withLock({ $0.giveBack(byteCount) }) { waiter.resume(returning: true) }
    }
}
