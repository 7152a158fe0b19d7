import ScanCluster

/// The process of a simulated node, and the connection to it.
final class SimulatedProcess: ScanTransport, @unchecked Sendable {
    // Sendable: touched only on the simulation's thread.

    private struct Attempt {
        var request: AttemptRequest
        var completion: AttemptCompletion
    }

    let id: SystemID
    let isLocal: Bool
    var name: String { node.name }
    var slots: Int { max(1, node.slots) }
    var tags: Set<String> { node.tags }
    /// Factor of the time that tasks take which begin now.
    var slowness = 1.0
    /// Whether it does nothing for now.
    var isHung = false { didSet { if !isHung { resume() } } }

    private let node: SimulatedFarm.Node
    // The world owns its processes, and both end together.
    private let world: SimulatedFarmWorld
    private var serial: UInt64 = 0
    /// Attempts without an answer.
    private var open: [UInt64: Attempt] = [:]
    private var waiting: [UInt64] = []
    private var running: Set<UInt64> = []
    /// Attempts whose time has passed while the process hung.
    private var late: [UInt64] = []

    init(_ node: SimulatedFarm.Node, id: SystemID, isLocal: Bool, world: SimulatedFarmWorld) {
        self.node = node
        self.id = id
        self.isLocal = isLocal
        self.world = world
    }

    /// The same process with a new connection: a node cancels what it runs when its connection ends.
    func reconnected() -> SimulatedProcess {
        let process = SimulatedProcess(node, id: id, isLocal: isLocal, world: world)
        process.slowness = slowness
        return process
    }

    func start(_ request: consuming AttemptRequest, completion: @escaping AttemptCompletion) -> AttemptHandle {
        serial += 1
        let number = serial
        open[number] = Attempt(request: request, completion: completion)
        deliver { [weak self] in self?.received(number) }
        return AttemptHandle(rawValue: number)
    }

    func cancel(_ handle: AttemptHandle) {
        open[handle.rawValue] = nil
        waiting.removeAll { $0 == handle.rawValue }
        if running.remove(handle.rawValue) != nil { begin() }
    }

    func close() { lose(ScanError(.systemLost, "the connection was closed", system: name)) }

    /// The connection has ended.
    func lose(_ error: ScanError) {
        let lost = open.sorted { $0.key < $1.key }.map(\.value.completion)
        (open, waiting, running, late) = ([:], [], [], [])
        for completion in lost { world.executor.execute { completion(.error(error), nil) } }
    }

    /// Calls `body` when a message has arrived, or never.
    private func deliver(_ body: @escaping @Sendable () -> Void) {
        if isLocal { return world.after(.zero, body) }
        if let delay = world.delivery() { world.after(delay, body) }
    }

    private func received(_ number: UInt64) {
        guard open[number] != nil else { return }
        waiting.append(number)
        begin()
    }

    /// Begins with tasks that wait, as far as there are slots.
    private func begin() {
        while !isHung, running.count < slots, !waiting.isEmpty {
            let number = waiting.removeFirst()
            guard let attempt = open[number] else { continue }
            running.insert(number)
            let seconds = seconds(of: attempt.request.task)
            world.after(.seconds(seconds)) { [weak self] in self?.finished(number, after: seconds) }
        }
    }

    private func seconds(of task: some ScanTask) -> Double {
        let cost = task.cost.isFinite && task.cost > 0 ? task.cost : 1
        let speed = node.speed.isFinite && node.speed > 0 ? node.speed : 1
        // Ten years at most, so that no cost makes it overflow.
        return min(cost * slowness / speed, 3e8)
    }

    private func finished(_ number: UInt64, after seconds: Double) {
        guard running.contains(number) else { return }
        if isHung { return late.append(number) }
        running.remove(number)
        if let attempt = open[number] {
            let (outcome, output) = scan(attempt.request, seconds)
            deliver { [weak self] in self?.open.removeValue(forKey: number)?.completion(outcome, output) }
        }
        begin()
    }

    private func resume() {
        let ended = late
        late = []
        for number in ended { finished(number, after: 0) }
        begin()
    }

    private func scan(_ request: AttemptRequest, _ seconds: Double) -> (AttemptOutcome, PlainOutput?) {
        do {
            let output = try SimulatedIdentity.$current.withValue(id) {
                try scan(request.task, ScanContext(bulk: request.bulk))
            }
            return (.finished(seconds: seconds), output)
        } catch {
            return (.failed(String(words: error), seconds: seconds), nil)
        }
    }

    private func scan<Work: ScanTask>(_ task: Work, _ context: ScanContext) throws -> PlainOutput {
        // What the process itself runs is not coded.
        if isLocal { return PlainOutput(try output(of: task, context)) }
        let received = try CodedCopy.of(task, "the task cannot be decoded")
        return PlainOutput(try CodedCopy.of(try output(of: received, context), "the output cannot be decoded"))
    }

    private func output<Work: ScanTask>(of task: Work, _ context: ScanContext) throws -> Work.Output {
        guard let suspending = task as? any AsyncScanTask else { return try task.scan(context) }
        let output: any Sendable = try CallingThread().run { try await suspending.scan(context) }
        guard let output = output as? Work.Output else { preconditionFailure("both scans have the same output") }
        return output
    }
}
