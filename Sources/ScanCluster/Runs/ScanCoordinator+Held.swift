extension ScanCoordinator {
    /// The system of this name, which is not the local one, has the bulk bytes of `keys`, or can read them itself: tasks
    /// with these keys go there while it has room, and elsewhere if they are done earlier there.
    package func note(_ keys: [BulkKey], heldBy name: String) { systems.note(keys, heldBy: name) }
}
