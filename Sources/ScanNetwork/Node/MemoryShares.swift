internal import ScanSlots

/// Divides the memory for the bulk bytes of tasks among connections. Pure.
///
/// While there is room, every connection gets what it asks for. A refused connection that has less than its share, in
/// proportion to its weight among those that use or want memory, is next: what it asked for is kept free for it, of
/// several for the first one first, so that others, which were there before or send smaller tasks, cannot fill the memory
/// for ever. So connections that always want more have their shares. One that does not ask again, since its task went
/// elsewhere or it was stopped, is waited for until ``patience`` tasks of others have ended.
package struct MemoryShares {
    private struct Claim {
        var weight: Double
        /// Bytes of its tasks.
        var held = 0
        /// Bytes that are kept free for its next task.
        var wanted = 0
        /// The order in which those that wait were refused.
        var turn = 0
        /// Ends of tasks of others after which they are no longer kept free.
        var patience = 0
    }

    /// Tasks of others that end before a connection that was refused has lost its turn.
    package static var patience: Int { 64 }

    /// Most bytes; a single task may have more.
    package let limit: Int
    /// Bytes in use.
    package private(set) var used = 0
    private var claims: [ConnectionID: Claim] = [:]
    private var turns = 0

    /// Memory of `limit` bytes, all of it free.
    package init(limit: Int) { self.limit = limit }

    /// A task of `connection`, whose weight is `weight`, needs `count` bytes.
    /// - Returns: whether it has them now.
    package mutating func take(_ count: Int, for connection: ConnectionID, weight: Double) -> Bool {
        var claim = claims[connection] ?? Claim(weight: weight)
        claim.weight = weight
        let turn = claim.wanted > 0 ? claim.turn : Int.max
        claim.wanted = 0
        defer { put(claim, connection) }
        let kept = claims.reduce(0) { $1.key == connection || $1.value.turn > turn ? $0 : $0 + $1.value.wanted }
        if used == 0 || count <= limit - used - kept {
            claim.held += count
            used += count
            return true
        }
        let weights = claims.reduce(weight) { $1.key == connection ? $0 : $0 + $1.value.weight }
        let share = max(weight / weights, ScanThreads.FairQueue<Never>.floor) * Double(limit)
        if claim.held == 0 || Double(claim.held + count) <= share {
            if turn == .max { turns += 1 }
            claim.turn = min(turn, turns)
            (claim.wanted, claim.patience) = (min(count, limit), Self.patience)
        }
        return false
    }

    /// A task of `connection` that had `count` bytes has ended.
    package mutating func giveBack(_ count: Int, of connection: ConnectionID) {
        used -= count
        if var claim = claims[connection] {
            claim.held -= count
            put(claim, connection)
        }
        for (other, var claim) in claims where other != connection && claim.wanted > 0 {
            claim.patience -= 1
            if claim.patience <= 0 { claim.wanted = 0 }
            put(claim, other)
        }
    }

    /// A connection has ended. Its tasks may still run.
    package mutating func drop(_ connection: ConnectionID) {
        guard var claim = claims[connection] else { return }
        claim.wanted = 0
        put(claim, connection)
    }

    private mutating func put(_ claim: Claim, _ connection: ConnectionID) {
        claims[connection] = claim.held == 0 && claim.wanted == 0 ? nil : claim
    }

    /// Whether the invariants hold.
    package var isConsistent: Bool {
        used >= 0 && used == claims.reduce(0) { $0 + $1.value.held }
            && claims.values.allSatisfy { $0.held >= 0 && $0.wanted >= 0 }
    }
}
