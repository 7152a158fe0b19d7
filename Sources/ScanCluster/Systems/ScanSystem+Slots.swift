package import ScanSlots

/// The slots of this process: threads that tasks of its runs share with those that coordinators send.
///
/// A cancelled scan occupies its thread until it ends. Until then it is *abandoned*, and its slot counts as taken.
extension ScanSystem {
    /// The tasks on the slots of this process.
    struct Slots {
        /// Tasks that have a slot or wait for one.
        var count = 0
        var serial: UInt64 = 0
        /// Attempts of this process that were not cancelled.
        var awaited: [UInt64: LocalScan] = [:]
        /// The room of attempts of this process that were cancelled and have not ended.
        var abandoned = AbandonedRoom() {
            didSet { if abandoned != oldValue { onAbandoned?(abandoned) } }
        }
        /// Called with each change of ``abandoned``.
        var onAbandoned: (@Sendable (AbandonedRoom) -> Void)?
        /// Called when tasks have ended.
        var onEnds: (@Sendable () -> Void)?
        /// The timer for tasks that have ended and wait for others.
        var gathering: TimerID?
    }

    /// Runs tasks on the slots of this process, in order and with one wake-up. A system behind a transport skips them,
    /// as does one that was closed.
    package func run(_ tasks: [some SlotTask]) {
        guard let threads else { return tasks.forEach { $0.skip() } }
        taken.count += tasks.count
        threads.submit(tasks)
    }

    /// Starts an attempt: on a slot of this process, or by the transport. `completion` is called once unless the
    /// attempt is cancelled first, and not from inside this call.
    func start(_ request: consuming AttemptRequest, completion: @escaping AttemptCompletion) -> AttemptHandle {
        if let transport { return transport.start(request, completion: completion) }
        taken.serial += 1
        // Only the scan refers to the bytes, so that the task can take them out of it.
        let scan = LocalScan(taken.serial, request.task, request.bulk.take(), on: self, completion: completion)
        taken.awaited[scan.serial] = scan
        run([scan])
        return AttemptHandle(rawValue: scan.serial)
    }

    /// Cancels an attempt that was started: its completion is not called.
    func cancel(_ handle: AttemptHandle) {
        if let transport { return transport.cancel(handle) }
        guard let scan = taken.awaited.removeValue(forKey: handle.rawValue) else { return }
        taken.abandoned.add(scan.room, 1)
        scan.cancellation.cancel()
        recheckRoom()
    }

    /// A task on the slots of this process was cancelled: what waits for its room is looked at again.
    package nonisolated func recheckRoom() { threads?.cancelled() }

    /// The reason for which this system can never run a task that needs so much; nil if it can.
    package nonisolated func obstacle(to needs: SlotNeeds) -> String? { threads?.obstacle(to: needs) }

    /// What requests of a task with these bulk bytes carry, in the order in which that is tried.
    func payloads(of source: BulkSource) -> [Payload] {
        transport?.payloads(of: source)
            ?? Payload.order(of: source, holdsKey: false, packing: unpacker == nil ? .deferred : .local)
    }

    /// Calls `body` with the room of abandoned attempts: now if there are any, and after each change.
    func onAbandoned(_ body: @escaping @Sendable (AbandonedRoom) -> Void) {
        taken.onAbandoned = body
        if taken.abandoned.slots > 0 { body(taken.abandoned) }
    }

    /// Calls `body` each time when tasks have ended and were handled.
    package func onEnds(_ body: @escaping @Sendable () -> Void) { taken.onEnds = body }

    /// Seconds in which a processor ran the scan threads of this system so far; nil for a node, or if unknown.
    package nonisolated var processorSeconds: Double? { threads?.processorSeconds }

    /// Tasks that run report something; each has the number of its ``AttemptHandle``.
    package func reported(_ reports: [(task: UInt64, report: TaskReport)]) {
        for (task, report) in reports { attempts.find(AttemptHandle(rawValue: task))?.reported(report) }
    }

    /// Closes the slots of this process: waiting work is skipped at once, running work is not interrupted.
    package nonisolated func closeSlots() { threads?.close() }

    // MARK: Ends

    /// A task has left its slot: it is handled on the executor, together with others if there are many.
    package nonisolated func left(_ task: any SlotTask) {
        if ends.withLock({ $0.append(task) }) { executor.execute { self.assumeIsolated { $0.poll() } } }
    }

    /// Handles the tasks that have ended, or waits for more of them.
    private func poll() {
        let queued = max(0, taken.count - slots)
        if ends.withLock({ $0.isEnough(queued: queued) }) { return handleEnds() }
        if taken.gathering != nil { return }
        taken.gathering = clock.schedule(at: clock.now.advanced(by: Self.gatheringTime)) {
            self.enter { $0.handleEnds() }
        }
    }

    /// How long ends wait for others while many tasks are queued; timers add up to 2 ms. The queued tasks take much
    /// longer.
    private static let gatheringTime = Duration.microseconds(200)

    private func handleEnds() {
        if let gathering = taken.gathering { clock.cancel(gathering) }
        taken.gathering = nil
        let tasks = ends.withLock { $0.take() }
        taken.count -= tasks.count
        for task in tasks { task.ended(on: self) }
        taken.onEnds?()
    }
}

/// The room of scans that were cancelled and have not ended.
package struct AbandonedRoom: Equatable, Sendable {
    package var slots = 0
    package var memory = 0

    package init(slots: Int = 0, memory: Int = 0) { (self.slots, self.memory) = (slots, memory) }

    /// Counts the room of `count` scans more, which may be negative.
    mutating func add(_ needs: SlotNeeds, _ count: Int) {
        slots += count * needs.slots
        memory += count * needs.memory
    }
}

/// An attempt of this process on one of its slots.
final class LocalScan: ScanSystem.SlotTask, @unchecked Sendable {
    // Sendable: what changes is touched by one thread at a time, which gets it from another through a lock.
    let serial: UInt64
    let cancellation = ScanCancellation()
    var seconds = 0.0
    /// The slots and the memory that the task takes.
    let room: SlotNeeds
    /// The reason for which the system can never run it.
    private let obstacle: String?
    private let task: any ScanTask
    private var bulk: BulkBytes?
    private let system: ScanSystem
    private let completion: AttemptCompletion
    private var outcome = AttemptOutcome.error(ScanError(.systemLost, "was stopped before the scan began"))
    private var output: PlainOutput?

    init(
        _ serial: UInt64, _ task: any ScanTask, _ bulk: consuming BulkBytes?, on system: ScanSystem,
        completion: @escaping AttemptCompletion
    ) {
        self.serial = serial
        self.task = task
        self.bulk = bulk
        self.system = system
        self.completion = completion
        let room = SlotNeeds(slots: task.slots, memory: task.requiredMemory)
        obstacle = room == .one ? nil : system.obstacle(to: room)
        self.room = obstacle == nil ? room : .one
    }

    var needs: SlotNeeds? { room == .one ? nil : room }

    var clock: any ScanClock { system.clock }

    func takeBulk() throws -> BulkBytes? {
        guard let read = bulk?.read else { return bulk.take() }
        bulk = nil
        return try read()
    }

    func unpack(_ bytes: BulkBytes, to count: Int) throws -> BulkBytes {
        guard let unpacker = system.unpacker else { return bytes }
        let unpacked = try unpacker.unpack(bytes, to: count)
        bytes.unpacked?(unpacked)
        return unpacked
    }

    func run(_ context: ScanContext) -> Bool {
        if let obstacle {
            outcome = .failed(obstacle, seconds: 0)
            return true
        }
        func run(_ task: some ScanTask) {
            let result = task.scan(context, by: clock)
            seconds += result.seconds
            do {
                output = PlainOutput(try result.output.get())
                outcome = .finished(seconds: seconds)
            } catch {
                outcome = .failed(String(words: error), seconds: seconds)
            }
        }
        run(task)
        return true
    }

    func lacksBulk(because reason: any Error) {
        // They are read again as they are, which gives the error its words.
        outcome = .error(ScanError(.bulkMissing, "cannot provide the bytes: \(reason)"))
    }

    func leave() { system.left(self) }

    func report(_ report: TaskReport) {
        system.reports.add(report, of: serial, clock: clock) { [system] reports in
            system.enter { $0.reported(reports) }
        }
    }

    func ended(on system: isolated ScanSystem) {
        system.reported(system.reports.take(of: serial).map { (serial, $0) })
        if system.taken.awaited.removeValue(forKey: serial) == nil {
            system.taken.abandoned.add(room, -1)
        } else {
            completion(outcome, output)
        }
    }
}

extension ScanTask {
    /// Does the work.
    /// - Returns: the output, or the error that it threw, and the seconds that it took.
    package func scan(
        _ context: ScanContext, by clock: any ScanClock
    ) -> (output: Result<Output, any Error>, seconds: Double) {
        let start = clock.now
        let output = Result { try scan(context) }
        return (output, clock.now.since(start) / .seconds(1))
    }
}
