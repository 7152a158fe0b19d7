extension ScanCoordinator {
    /// The system of this name, which is not the local one, has the bulk bytes of `keys`, or can read them itself: tasks
    /// with these keys go there while it has room, and elsewhere if they are done earlier there.
    package func note(_ keys: [BulkKey], heldBy name: String) { systems.note(keys, heldBy: name) }

    /// The system of this name cannot read the bulk bytes of references with this origin: they are sent to it, if it is
    /// then done earlier than others.
    package func note(_ origin: [UInt8], lackedBy name: String) { systems.note(origin, lackedBy: name) }
}
