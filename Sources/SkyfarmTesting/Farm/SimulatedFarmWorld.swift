import ScanCluster

/// What the parts of a ``SimulatedFarm`` share while it runs: time, chance, and the nodes' processes.
final class SimulatedFarmWorld: @unchecked Sendable {
    // Sendable: all of a simulation runs on the thread that calls ``SimulatedExecutor/run(until:while:_:)``.

    let clock = ManualClock()
    let executor: SimulatedExecutor
    let systems: Systems
    private let network: SimulatedFarm.Network
    private var random: SplitMix64
    private var processes: [Int: SimulatedProcess] = [:]

    init(_ farm: SimulatedFarm) {
        executor = SimulatedExecutor(clock: clock)
        systems = Systems(clock: clock)
        network = farm.network
        random = SplitMix64(seed: farm.seed)
        if farm.localSlots > 0 {
            start(-1, as: SimulatedFarm.Node("local", slots: farm.localSlots), isLocal: true)
        }
        for (index, node) in farm.nodes.enumerated() {
            at(node.joins) { self.start(index, as: node) }
            for fault in node.faults { arrange(fault, of: index, node) }
        }
    }

    /// Virtual time since the beginning.
    var elapsed: Duration { clock.now.since(Instant(nanoseconds: 0)) }

    /// Drops what still refers to this object.
    func end() {
        for process in processes.values { process.close() }
        processes = [:]
        executor.settle()
        clock.cancelAll()
    }

    /// A time that a message takes; nil if it is lost.
    func delivery() -> Duration? {
        if network.loss > 0, random.uniform() < network.loss { return nil }
        let (least, most) = (network.latency.lowerBound, network.latency.upperBound)
        return least + (most - least) * random.uniform()
    }

    func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
        at(elapsed + max(.zero, delay), body)
    }

    private func at(_ time: Duration, _ body: @escaping @Sendable () -> Void) {
        let instant = Instant(nanoseconds: 0).advanced(by: max(.zero, time))
        // Not inside the call of a timer's owner, and in one order with the engine's own work.
        _ = clock.schedule(at: instant) { [executor] in executor.execute(body) }
    }

    // MARK: Nodes

    private func start(_ index: Int, as node: SimulatedFarm.Node, isLocal: Bool = false) {
        guard processes[index] == nil else { return }
        join(index, SimulatedProcess(node, id: SystemID(using: &random), isLocal: isLocal, world: self))
    }

    /// Makes a process a system, at first or after its connection was given up.
    private func join(_ index: Int, _ process: SimulatedProcess) {
        processes[index] = process
        let slots = process.slots
        systems.join(
            ScanSystem(
                simulated: process, id: process.id, name: process.name, slots: slots,
                depth: process.isLocal ? slots : 2 * slots, isLocal: process.isLocal, tags: process.tags,
                clock: clock, executor: executor))
    }

    private func leave(_ process: SimulatedProcess, _ error: ScanError) {
        process.lose(error)
        systems.leave(process.id, isLost: true)
    }

    // MARK: Faults

    private func arrange(_ fault: SimulatedFarm.Fault, of index: Int, _ node: SimulatedFarm.Node) {
        switch fault {
        case .kill(let time, let length):
            at(time) {
                guard let process = self.processes.removeValue(forKey: index) else { return }
                self.leave(process, ScanError(.systemLost, "the connection was reset", system: node.name))
            }
            if let length { at(time + length) { self.start(index, as: node) } }
        case .hang(let time, let length):
            at(time) { self.processes[index].map { self.hang($0, of: index, for: length) } }
        case .slow(let time, let length, let factor):
            at(time) { self.processes[index]?.slowness = max(1, factor) }
            at(time + length) { self.processes[index]?.slowness = 1 }
        }
    }

    private func hang(_ process: SimulatedProcess, of index: Int, for length: Duration?) {
        process.isHung = true
        let silence = network.silence
        let isLost = length.map { $0 >= silence } ?? true
        if isLost {
            after(silence) {
                guard self.processes[index] === process else { return }
                let words = "was silent for \(silence)"
                self.leave(process, ScanError(.disconnected, words, system: process.name))
            }
        }
        guard let length else { return }
        after(length) {
            guard self.processes[index] === process else { return }
            process.isHung = false
            if isLost { self.join(index, process.reconnected()) }
        }
    }
}
