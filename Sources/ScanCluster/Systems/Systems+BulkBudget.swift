import Synchronization

extension Systems {
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
}

extension Systems.BulkBudget {
    /// Decides which requesters may hold bulk bytes in transit to nodes, in the order of arrival. Pure.
    package struct State<Requester> {
        private struct Request {
            var ticket: UInt64
            var byteCount: Int
            var waiter: Requester
        }

        /// Most bytes held at the same time, except by a holder that is alone.
        package let limit: Int
        /// Bytes that are held.
        package private(set) var used = 0
        private var waiting: [Request] = []

        package init(limit: Int) { self.limit = limit }

        package var waitingCount: Int { waiting.count }

        /// Requests to hold bytes; `ticket` identifies the request.
        /// - Returns: true if the bytes may be held now; otherwise the waiter is kept.
        package mutating func take(_ byteCount: Int, ticket: UInt64, waiter: Requester) -> Bool {
            if waiting.isEmpty, fits(byteCount) {
                used += byteCount
                return true
            }
            waiting.append(Request(ticket: ticket, byteCount: byteCount, waiter: waiter))
            return false
        }

        /// Bytes are released.
        /// - Returns: the waiters that may hold theirs now.
        package mutating func giveBack(_ byteCount: Int) -> [Requester] {
            used -= byteCount
            return admit()
        }

        /// A request is withdrawn.
        /// - Returns: its waiter, nil if it no longer waits, and those that may hold their bytes now.
        package mutating func cancel(_ ticket: UInt64) -> (cancelled: Requester?, admitted: [Requester]) {
            guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return (nil, []) }
            let cancelled = waiting.remove(at: index).waiter
            return (cancelled, admit())
        }

        private mutating func admit() -> [Requester] {
            var admitted: [Requester] = []
            while let first = waiting.first, fits(first.byteCount) {
                used += first.byteCount
                admitted.append(waiting.removeFirst().waiter)
            }
            return admitted
        }

        private func fits(_ byteCount: Int) -> Bool { used == 0 || byteCount <= limit - used }
    }
}
