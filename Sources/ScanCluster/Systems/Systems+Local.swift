internal import ScanBasics

extension ScanSystem {
    /// A system of this process with `slots` slots, which needs no network.
    ///
    /// A *system* runs tasks: as many at a time as it has slots. With a registry of one system, a program runs its tasks on
    /// the threads of its own process:
    ///
    /// ```swift
    /// let coordinator = ScanCoordinator(Systems(ScanSystem(slots: 4)))
    /// for try await response in coordinator.responses(to: tasks) { print(try response.get()) }
    /// ```
    /// - Parameters:
    ///   - name: name for users.
    ///   - slots: number of tasks that run at a time, at least 1; fewer if this machine allows no more threads.
    public init(name: String = "local", slots: Int) {
        var generator = SystemRandomNumberGenerator()
        self.init(
            local: max(1, slots), id: SystemID(using: &generator), name: name, clock: DispatchClock.shared)
    }
}

extension Systems {
    /// A registry of these systems, or of none yet.
    ///
    /// The registry has the systems that are reachable now, and chooses the one that gets a task. Systems join and leave
    /// it at any time, also during runs:
    ///
    /// ```swift
    /// let systems = Systems(ScanSystem(name: "small", slots: 1))
    /// systems.join(ScanSystem(name: "large", slots: 8))
    /// print(systems.snapshot.map(\.name))
    /// ```
    /// - Parameter systems: systems of different identities.
    public convenience init(_ systems: ScanSystem...) {
        self.init(clock: systems.first?.clock ?? DispatchClock.shared)
        for system in systems { join(system) }
    }
}
