/// One attempt at a task on a system, local or remote, from its start to its end. ``AttemptState`` decides its course.
///
/// Its events are handled on the executor of its system, if the system has one. Its run shares that executor, so that
/// an attempt needs no executor hop, no lock and no cancellation handler. A system without an executor, such as the
/// local one, guards its attempts by a lock.
final class Attempt<Work: ScanTask>: TimeoutTask, @unchecked Sendable {
    // Sendable: mutable state is read and written on the system's executor or inside its guard; the result is written
    // once, before the waiter is resumed, and read after that.
    // Exclusivity is unchecked for the reason in Docs/Design.md, Layers.

    /// Its place in a run.
    struct Booking {
        let id: TaskLedger.AttemptID
        let reservation: SystemsState.Reservation
        let ends: AttemptEnds
    }

    let system: ScanSystem
    private let task: Work
    private let number: Int
    private let bulk: BulkSource?
    private let booking: Booking?
    /// Whether its requester may call the transport itself, without a hop to the system.
    let isDirect: Bool
    private let timeout: TimeLimit?
    @exclusivity(unchecked) private var limit = Duration.zero
    @exclusivity(unchecked) private var state: AttemptState
    @exclusivity(unchecked) private var handle = AttemptHandle(rawValue: .max)
    @exclusivity(unchecked) private var loading: Task<Void, Never>?
    /// Resumed once, when it has ended.
    @exclusivity(unchecked) private var waiter: Waiter?
    @exclusivity(unchecked) private var hasEnded = false

    /// How it ended; nil before that.
    @exclusivity(unchecked) private(set) var outcome: AttemptOutcome?
    /// The response, if it has finished.
    @exclusivity(unchecked) private(set) var response: SharedResponse<TaskResponse<Work>>?
    /// When it ended, by the clock of its run.
    @exclusivity(unchecked) private(set) var endedAt = Instant(nanoseconds: 0)

    /// Attempt number `number` at `task`, not begun. `timeout` limits the time of a request, from when a slot is free
    /// for it.
    init(
        _ number: Int, at task: Work, on system: ScanSystem, bulk: BulkSource?, timeout: TimeLimit?,
        isDirect: Bool, booking: Booking? = nil
    ) {
        self.number = number
        self.task = task
        self.system = system
        self.bulk = bulk
        self.booking = booking
        self.isDirect = isDirect
        state = AttemptState()
        self.timeout = timeout
    }

    private var transport: any ScanTransport { system.transport }

    private func endTime() { if timeout != nil { system.timeouts.end(self) } }

    override func timeLimit() -> Duration {
        if let timeout { limit = timeout.limit(cost: booking?.reservation.cost ?? task.cost) }
        return limit
    }

    override func expire() { enter { $0.perform($0.decide(.stopped(.timedOut))) } }

    /// Its identity in the ledger of its run.
    var id: TaskLedger.AttemptID {
        guard let booking else { preconditionFailure("only attempts of runs have an identity") }
        return booking.id
    }

    /// Its room; nil without a run.
    var reservation: SystemsState.Reservation? { booking?.reservation }

    /// Starts it. Call on the system's executor unless ``isDirect``.
    func begin() {
        var payloads = bulk.map(transport.payloads) ?? []
        // A transport that names no payload of a task with bulk bytes gets the bytes.
        if bulk != nil, payloads.isEmpty { payloads = [.plain] }
        perform(decide(.begin(payloads: payloads)))
    }

    /// Waits until it has ended. Call once.
    func wait() async {
        await withUnsafeContinuation { (waiter: Waiter) in
            let hasEnded = system.guarded {
                if !self.hasEnded { self.waiter = waiter }
                return self.hasEnded
            }
            if hasEnded { waiter.resume() }
        }
    }

    /// Cancels it, from any executor.
    func cancel(as reason: ScanError.Code = .cancelled) { enter { $0.perform($0.decide(.stopped(reason))) } }

    /// Takes the bytes that were read for it. Call on the system's executor.
    func loaded(_ bytes: inout BulkBytes?) {
        let action = decide(.loaded(succeeded: true))
        if case .send(let payload) = action { send(payload, &bytes) } else { perform(action) }
    }

    /// Reports that its bytes cannot be read. Call on the system's executor.
    func failed(toLoad error: ScanError) {
        let action = decide(.loaded(succeeded: false))
        if action == .finish { end(.error(error)) } else { perform(action) }
    }

    /// Runs `body` on the system's executor; at once if ``isDirect``.
    private func enter(_ body: @escaping @Sendable (Attempt) -> Void) {
        if isDirect { return body(self) }
        Task(executorPreference: system.taskExecutor) { [system] in await system.perform { body(self) } }
    }

    private func decide(_ event: AttemptState.Event) -> AttemptState.Action {
        system.guarded { state.handle(event) }
    }

    private func perform(_ action: AttemptState.Action) {
        switch action {
        case .none: break
        case .finish: preconditionFailure("it ends with a response or an error of its own")
        case .send(let payload):
            var bytes: BulkBytes?
            send(payload, &bytes)
        case .load(let payload): load(payload)
        case .stopLoading: system.guarded { loading }?.cancel()
        case .end(let reason): end(.error(error(reason)))
        case .abandon(let reason):
            transport.cancel(system.guarded { handle })
            end(.error(error(reason)))
        case .forget: transport.cancel(handle)
        }
    }

    private func send(_ payload: Payload, _ bytes: inout BulkBytes?) {
        // First, since the answer may come on another thread.
        if timeout != nil { system.guarded { system.timeouts.begin(self) } }
        let handle = transport.start(request(payload, &bytes)) { outcome, output in self.replied(outcome, output) }
        let action = system.guarded {
            self.handle = handle
            return state.handle(.sent)
        }
        perform(action)
    }

    /// The request with `payload`. It has the only reference to the bytes, so that they are freed once they are sent, and a
    /// scan may overwrite them.
    private func request(_ payload: Payload, _ bytes: inout BulkBytes?) -> AttemptRequest {
        var request = AttemptRequest(task: task, number: number, bulkKey: bulk?.key, bulk: bytes.take())
        request.isLastUse = bulk?.isLastUse ?? false
        request.ticket = booking?.reservation.ticket ?? 0
        switch payload {
        case .reference, .packed(_, isReferred: true):
            request.reference = bulk?.reference
            request.referredCount = bulk?.byteCount ?? 0
        case .held, .packed(_, isReferred: false), .plain: break
        }
        if case .packed = payload { request.numberSize = bulk?.numberSize }
        return request
    }

    private func load(_ payload: Payload) {
        guard let bulk else { preconditionFailure("only bulk bytes are loaded") }
        let packing = if case .packed(let packing, _) = payload { packing } else { BulkPacking.none }
        system.guarded {
            endTime()
            loading = Task(executorPreference: system.taskExecutor) { [system] in
                await system.load(bulk, packing, for: self)
            }
        }
    }

    private func replied(_ outcome: AttemptOutcome, _ output: (any AttemptOutput)?) {
        let action = decide(.replied(isPayloadMissing: outcome.isPayloadMissing))
        guard action == .finish else { return perform(action) }
        switch outcome {
        case .finished(let seconds):
            do throws(ScanError) {
                end(outcome, SharedResponse(try response(of: output, seconds: seconds)))
            } catch {
                end(.error(error))
            }
        case .failed: end(outcome)
        case .error(var error):
            // An end that was not requested counts as a fault of the system; otherwise it would get the task again at
            // once.
            if [.cancelled, .overtaken].contains(error.code) { error.code = .invalidResponse }
            error.system = system.name
            end(.error(error))
        }
    }

    /// The response with the output that the transport gave.
    /// - Throws: ``ScanError/Code/invalidResponse`` if the output is not valid.
    private func response(
        of coded: (any AttemptOutput)?, seconds: Double
    ) throws(ScanError) -> TaskResponse<Work> {
        func invalid(_ words: String) -> ScanError { ScanError(.invalidResponse, words, system: system.name) }
        guard let coded else { throw invalid("sent no result") }
        let output: Work.Output
        do {
            output = try coded.decode(Work.Output.self)
        } catch {
            throw invalid("sent a result that cannot be decoded: \(error)")
        }
        do {
            try task.validate(output)
        } catch {
            throw invalid("sent a result that is not valid: \(error)")
        }
        return TaskResponse(
            id: task.id, result: .success(output), system: system.name, attempt: number, seconds: seconds)
    }

    /// The error of an attempt that ends for this reason.
    private func error(_ reason: ScanError.Code) -> ScanError {
        reason == .timedOut ? system.timedOut(after: system.guarded { limit }) : system.cancelled(as: reason)
    }

    private func end(_ outcome: AttemptOutcome, _ response: SharedResponse<TaskResponse<Work>>? = nil) {
        self.outcome = outcome
        self.response = response
        if let booking {
            endedAt = booking.ends.note(booking.reservation, as: outcome)
            // Before the time of the next attempt begins.
            if let timeout, outcome.isFinished {
                timeout.measure(cost: booking.reservation.cost, time: endedAt.since(booking.reservation.start))
            }
        }
        let waiter = system.guarded {
            endTime()
            (loading, hasEnded) = (nil, true)
            defer { self.waiter = nil }
            return self.waiter
        }
        waiter?.resume()
    }
}
