/// The room that work takes of a process.
package struct SlotNeeds: Hashable, Sendable {
    /// Slots, at least 1.
    package var slots: Int
    /// Bytes of memory.
    package var memory: Int

    package init(slots: Int = 1, memory: Int = 0) { (self.slots, self.memory) = (max(1, slots), max(0, memory)) }

    /// The needs of most work: one slot, and little memory.
    package static var one: SlotNeeds { SlotNeeds() }

    /// Room that is counted together.
    static func sum(_ needs: some Sequence<SlotNeeds>) -> (slots: Int, memory: Int) {
        needs.reduce((0, 0)) { ($0.0 + $1.slots, $0.1 + $1.memory) }
    }
}

/// The slots and the memory of a process, and what its work takes of them, whoever sent it. Pure.
package struct SlotRoom: Sendable {
    /// The part of the room that is too small for work.
    enum Lack { case slots, memory }

    /// Slots of the process.
    package var slots: Int
    /// Bytes that its work may need together.
    package let memory: Int
    /// Slots that are taken.
    package private(set) var usedSlots = 0
    /// Bytes that are taken.
    package private(set) var usedMemory = 0

    /// Free room.
    package init(slots: Int = .max, memory: Int = .max) { (self.slots, self.memory) = (slots, memory) }

    /// The reason for which the process can never do work with these needs; nil if it can.
    package func obstacle(to needs: SlotNeeds) -> String? {
        if needs.slots > slots { return "the task needs \(needs.slots) slots, and this node has \(slots)" }
        if needs.memory > memory {
            return "the task needs \(needs.memory) bytes of memory, and this node gives its tasks \(memory)"
        }
        return nil
    }

    /// The part of the room that is too small now; nil if there is enough.
    func lack(for needs: SlotNeeds) -> Lack? {
        if needs.memory > memory - usedMemory { return .memory }
        return needs.slots > slots - usedSlots ? .slots : nil
    }

    mutating func take(_ needs: SlotNeeds) {
        usedSlots += needs.slots
        usedMemory += needs.memory
    }

    mutating func giveBack(_ needs: SlotNeeds) {
        usedSlots -= needs.slots
        usedMemory -= needs.memory
    }
}
