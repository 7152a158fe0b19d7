extension BulkBudget {
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
