/// How bulk bytes are packed for a system: the scarcer the link to it, the more work is worth it.
public enum BulkPacking: Int, CaseIterable, Comparable, Sendable {
    /// Not at all.
    case none
    /// Not at all, but a slot of the requester's process may read the bytes itself when it begins with the task.
    case deferred
    /// As they are stored, if no other task needs the same bytes, for slots of the requester's process: unpacking them is
    /// then work of the slot.
    case local
    /// In a packed form that takes no longer to unpack than the bytes take to copy.
    case light
    /// In the shortest form that takes no work to pack.
    case stored

    /// By the work.
    public static func < (left: BulkPacking, right: BulkPacking) -> Bool { left.rawValue < right.rawValue }
}

extension BulkSource {
    /// How the bytes are packed for a system that would get others packed like `packing`: as they are stored if it holds
    /// all that it needs to unpack them, even on this machine, since unpacking them is work; else lighter than that.
    package func packing(_ packing: BulkPacking, holds: (BulkKey) -> Bool) -> BulkPacking {
        guard let needs, packing >= .light else { return packing }
        return needs.allSatisfy(holds) ? .stored : .light
    }
}
