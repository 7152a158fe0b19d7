/// Decides which elements have a slot of a system and which wait for one, in the order of arrival. Pure.
package struct SlotQueue<Element> {
    private let slots: Int
    private var taken = 0
    private var waiting = Queue<Element>()

    /// A queue for `slots` slots, all free.
    package init(slots: Int) { self.slots = slots }

    /// An element arrives.
    /// - Returns: whether a slot is free for it; it waits otherwise.
    package mutating func enter(_ element: Element) -> Bool {
        if taken < slots {
            taken += 1
            return true
        }
        waiting.append(element)
        return false
    }

    /// The first element that waits, or has left while it waited, for which `condition` holds.
    package func firstWaiting(where condition: (Element) -> Bool) -> Element? { waiting.first(where: condition) }

    /// An element that had a slot leaves.
    /// - Parameter isWaiting: whether an element of the queue still waits; others are dropped.
    /// - Returns: the element that has the slot now; nil if none waits.
    package mutating func leave(isWaiting: (Element) -> Bool) -> Element? {
        while let next = waiting.popFirst() {
            if isWaiting(next) { return next }
        }
        taken -= 1
        return nil
    }
}
