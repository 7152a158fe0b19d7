/// A first-in, first-out queue. Adding and taking an element take constant time.
///
/// Usable from inlined code, so that other modules have specialised queues, which look up no type while they run: of other
/// package declarations the compiler gives them no bodies.
@usableFromInline package struct Queue<Element> {
    // Elements before `head` were taken and replaced by nil.
    @usableFromInline var storage: [Element?] = []
    @usableFromInline var head = 0

    /// An empty queue.
    @inlinable package init() {}

    /// Number of elements.
    @inlinable package var count: Int { storage.count - head }

    /// Appends an element.
    @inlinable package mutating func append(_ element: Element) { storage.append(element) }

    /// Appends elements in their order.
    @inlinable package mutating func append(contentsOf elements: some Collection<Element>) {
        storage.append(contentsOf: elements.lazy.map(Optional.some))
    }

    /// Removes and returns the first element, or returns nil if the queue is empty.
    @inlinable package mutating func popFirst() -> Element? {
        guard head < storage.count else { return nil }
        let element = storage[head].take()
        head += 1
        if head == storage.count {
            storage.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 1024, head * 2 > storage.count {
            storage.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Returns the first element for which `condition` holds, or nil if there is none.
    package func first(where condition: (Element) -> Bool) -> Element? {
        storage[head...].lazy.compactMap(\.self).first(where: condition)
    }

    /// Removes all elements and frees their memory.
    @inlinable package mutating func removeAll() { self = Queue() }
}

extension Queue: Sendable where Element: Sendable {}
