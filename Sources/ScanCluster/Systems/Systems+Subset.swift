extension Systems {
    /// The system of this name has the bytes of `keys`, or can read them itself: tasks go there while it has room.
    func note(_ keys: some Sequence<BulkKey>, heldBy name: String) {
        registry.withLock { $0.state.note(keys, heldBy: name) }
    }

    /// The system of this name cannot read the bulk bytes of references with this origin: they would be sent.
    func note(_ origin: [UInt8], lackedBy name: String) {
        registry.withLock { $0.state.note(origin, lackedBy: name) }
    }

    /// A registry of some of these systems alone, for a run that must not use the others.
    ///
    /// It is not notified when a system leaves: attempts there then end with ``ScanError/Code/systemLost``, or
    /// ``ScanError/Code/draining`` if the system left in order.
    /// - Parameters:
    ///   - ids: the systems; those that have left are not in the registry.
    ///   - slots: most slots that are used of each.
    /// - Returns: the registry.
    package func subset(_ ids: some Sequence<SystemID>, slots: Int = .max) -> Systems {
        let systems = registry.withLock { registry in ids.compactMap { registry.systems[$0] } }
        let subset = Systems(clock: clock)
        for system in systems { subset.admit(system, slots: slots) }
        return subset
    }

    /// Adds a system of another registry, which is the one that is told of its abandoned scans. At most `slots` of its slots
    /// are used.
    private func admit(_ system: ScanSystem, slots: Int) {
        change { registry in
            let isLimited = slots < system.slots
            let joined = registry.state.join(
                id: system.id, name: system.name, slots: isLimited ? slots : system.slots,
                depth: isLimited ? slots : system.depth, isLocal: system.isLocal, tags: system.tags,
                link: BulkLink(nominal: system.link.nominalRate), reads: system.link.readsReferences,
                speed: registry.speed(of: system), processors: system.processors, memory: system.memory)
            if joined { registry.systems[system.id] = system }
            return joined
        }
    }

    /// So many systems more are being prepared, and will join.
    func note(joining count: Int) {
        change { registry in
            registry.joining += count
            return true
        }
    }

    /// All systems.
    var all: [ScanSystem] {
        registry.withLock { registry in registry.state.members.compactMap { registry.systems[$0.id] } }
    }
}
