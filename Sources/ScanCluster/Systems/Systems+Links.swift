extension BulkLink {
    /// The link to a system that joins.
    init(_ link: ScanSystem.Link, at now: Instant) {
        self.init(nominal: link.nominalRate, probe: link.probeCount, at: now)
    }
}

extension Systems {
    /// Slots for which tasks are worth making: those that links do not leave idle, if `bytesPerCost` bytes are sent with
    /// a task per cost.
    package func usefulSlots(bytesPerCost: Double) -> Int {
        registry.withLock { $0.state.usefulSlots(bytesPerCost: bytesPerCost) }
    }
}

extension Systems.Registry {
    /// The speed of a system that joins. This process measures its own only when a node joins that states one.
    mutating func speed(of system: ScanSystem) -> Double? {
        guard !system.isLocal, let speed = system.link.speed, speed.isFinite, speed > 0 else { return nil }
        state.measureLocalSpeed { SlotSpeed.ofThisProcess }
        return speed
    }
}
