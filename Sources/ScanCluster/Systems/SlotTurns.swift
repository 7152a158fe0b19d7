/// Who has a slot of a system, and who waits there for one, in the order in which they came. Pure.
package struct SlotTurns<Attempt> {
    private let slots: Int
    private var taken = 0
    private var waiting = Queue<Attempt>()

    /// All of `slots` slots are free.
    package init(slots: Int) { self.slots = slots }

    /// An attempt comes.
    /// - Returns: whether a slot is free for it; it waits otherwise.
    package mutating func enter(_ attempt: Attempt) -> Bool {
        if taken < slots {
            taken += 1
            return true
        }
        waiting.append(attempt)
        return false
    }

    /// An attempt that had a slot is over.
    /// - Parameter isWaiting: whether one that came to wait still does.
    /// - Returns: who has the slot now, if anybody waits for it.
    package mutating func leave(isWaiting: (Attempt) -> Bool) -> Attempt? {
        while let next = waiting.popFirst() {
            if isWaiting(next) { return next }
        }
        taken -= 1
        return nil
    }
}
