/// An attempt at a task without bulk bytes, on its way over a transport and back.
///
/// All that happens to it, its start, its answer and the end of its time, happens on the executor that its job shares
/// with the transport: it costs no hop, no lock and no handler for cancellation. Its job ends it.
final class RemoteAttempt<Task: ScanTask>: LimitedAttempt, @unchecked Sendable {
    // Sendable: touched only on the executor of the job and the transport.

    private typealias Waiter = UnsafeContinuation<Void, Never>

    let id: TaskLedger.AttemptID
    let system: ScanSystem
    private let task: Task
    private let transport: any ScanTransport
    private let reservation: SystemsState.Reservation
    private let ends: AttemptEnds
    /// Resumed once, when it is over.
    private var waiter: Waiter?
    /// Nil while it is under way; does not change afterwards.
    private(set) var end: (result: TaskFarm<Task>.AttemptResult, at: Instant)?
    private var handle = AttemptHandle(rawValue: .max)
    private let timeout: Duration?

    /// Sends the task. `ends` is told of the end at once, whoever waits for it.
    init(
        _ id: TaskLedger.AttemptID, at task: Task, on system: ScanSystem, over transport: any ScanTransport,
        with reservation: SystemsState.Reservation, timeout: Duration?, endsAt ends: AttemptEnds
    ) {
        self.id = id
        self.task = task
        self.system = system
        self.transport = transport
        self.reservation = reservation
        self.ends = ends
        self.timeout = timeout
        super.init()
        handle = transport.start(Attempt(task: task, number: id.number)) { self.answered($0) }
        if let timeout { system.limits.begin(self, timeout) }
    }

    override func expire() { abandon(with: system.timedOut(after: timeout), as: .fault) }

    /// Waits until it is over. Call once.
    func wait() async {
        await withUnsafeContinuation { (waiter: Waiter) in
            if end == nil { self.waiter = waiter } else { waiter.resume() }
        }
    }

    /// Ends it for its job's reasons.
    /// - Parameter isOvertaken: whether another attempt was quicker; nobody waits for its task any more otherwise.
    func cancel(isOvertaken: Bool) {
        abandon(with: system.cancelled, as: isOvertaken ? .overtaken : .void)
    }

    private func abandon(with error: ScanError, as outcome: SystemsState.Outcome) {
        if end != nil { return }
        transport.cancel(handle)
        settle(.failure(error), as: outcome)
    }

    private func answered(_ reply: AttemptReply) {
        if end != nil { return }
        let result = system.result(of: reply, to: task, attempt: id.number).map(SharedResponse.init)
        settle(result, as: TaskFarm<Task>.outcomeForSystem(result, isLocal: false))
    }

    private func settle(_ result: TaskFarm<Task>.AttemptResult, as outcome: SystemsState.Outcome) {
        end = (result, ends.note(reservation, as: outcome))
        system.limits.end(self)
        waiter?.resume()
        waiter = nil
    }
}
