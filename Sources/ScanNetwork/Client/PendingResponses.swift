/// Requests that wait for an answer, in entries that are reused. A request's number contains its entry's generation, so
/// that an answer to a cancelled request matches no later one.
package struct PendingResponses<Waiter> {
    private struct Entry {
        var generation: UInt32 = 0
        var waiter: Waiter?
    }

    private var entries: [Entry] = []
    private var free: [UInt32] = []

    package init() {}

    /// Number of requests that wait.
    package var count: Int { entries.count - free.count }

    /// Adds a request and gives it a number.
    package mutating func insert(_ waiter: Waiter) -> UInt64 {
        let index: UInt32
        if let reused = free.popLast() {
            index = reused
        } else {
            index = UInt32(entries.count)
            entries.append(Entry())
        }
        entries[Int(index)].waiter = waiter
        return UInt64(entries[Int(index)].generation) << 32 | UInt64(index)
    }

    /// A request that waits; nil if it no longer does.
    package subscript(_ request: UInt64) -> Waiter? {
        let index = Int(request & 0xffff_ffff)
        guard index < entries.count, UInt64(entries[index].generation) == request >> 32 else { return nil }
        return entries[index].waiter
    }

    /// Changes a request, if it waits.
    package mutating func change(_ request: UInt64, _ change: (inout Waiter) -> Void) {
        guard var waiter = self[request] else { return }
        change(&waiter)
        entries[Int(request & 0xffff_ffff)].waiter = waiter
    }

    /// Removes a request; nil if it no longer waits.
    package mutating func remove(_ request: UInt64) -> Waiter? {
        let index = Int(request & 0xffff_ffff)
        guard index < entries.count, UInt64(entries[index].generation) == request >> 32,
            let waiter = entries[index].waiter.take()
        else { return nil }
        entries[index].generation &+= 1
        free.append(UInt32(index))
        return waiter
    }

    package mutating func removeAll() -> [Waiter] {
        var waiters: [Waiter] = []
        for index in entries.indices {
            guard let waiter = entries[index].waiter.take() else { continue }
            waiters.append(waiter)
            entries[index].generation &+= 1
            free.append(UInt32(index))
        }
        return waiters
    }
}
