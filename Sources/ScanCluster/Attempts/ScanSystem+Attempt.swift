extension ScanSystem {
    /// One attempt at a task on a system, local or remote, from its start to its end. ``AttemptState`` decides its
    /// course.
    ///
    /// Its events are handled on the executor of its system. A run that has the same executor needs no hop, no lock and
    /// no cancellation handler for it.
    final class Attempt<Work: ScanTask>: TimeoutTask, @unchecked Sendable {
        // Sendable: what changes is touched only on the system's executor; the result is written once, before the
        // waiter is resumed, and read after that.
        // Exclusivity is unchecked for the reason in Docs/Design.md, Layers.

        /// Its place in a run.
        struct Booking {
            let id: AttemptID
            let reservation: Systems.State.Reservation
            let systems: Systems
            /// What the run and its attempts share.
            let shared: Locked<Shared>
        }

        /// What a run and its attempts share.
        struct Shared {
            /// Attempts that have ended and that the run has not handled, also while it waits for its consumer.
            var unseen = 0
            /// Takes what tasks report that run on the system of that name; nil if nobody observes the run.
            var report: (@Sendable (AttemptID, _ system: String, TaskReport) -> Void)?
        }

        let system: ScanSystem
        private let task: Work
        private let number: Int
        private let bulk: BulkSource?
        private let booking: Booking?
        private let timeout: TimeLimit?
        @exclusivity(unchecked) private var limit = Duration.zero
        @exclusivity(unchecked) private var state: AttemptState
        @exclusivity(unchecked) private var request = AttemptHandle(rawValue: .max)
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

        /// Attempt number `number` at `task`, not begun. `timeout` limits the time of a request, from when a slot is
        /// free for it.
        init(
            _ number: Int, at task: Work, on system: ScanSystem, bulk: BulkSource?, timeout: TimeLimit?,
            booking: Booking? = nil
        ) {
            self.number = number
            self.task = task
            self.system = system
            self.bulk = bulk
            self.booking = booking
            state = AttemptState()
            self.timeout = timeout
        }

        override func timeLimit() -> Duration? {
            guard let timeout else { return nil }
            limit = timeout.limit(cost: booking?.reservation.cost ?? task.cost)
            return limit
        }

        override func expire(on system: isolated ScanSystem) { handle(.stopped(.timedOut), on: system) }

        override func has(_ handle: AttemptHandle) -> Bool { !hasEnded && request == handle }

        override func reported(_ report: TaskReport) {
            guard let booking, let take = booking.shared.withLock({ $0.report }) else { return }
            take(booking.id, system.name, report)
        }

        /// Its identity in the ledger of its run.
        var id: AttemptID {
            guard let booking else { preconditionFailure("only attempts of runs have an identity") }
            return booking.id
        }

        /// Its room; nil without a run.
        var reservation: Systems.State.Reservation? { booking?.reservation }

        override func begin(on system: isolated ScanSystem) {
            var payloads = bulk.map(system.payloads) ?? []
            // A transport that names no payload of a task with bulk bytes gets the bytes.
            if bulk != nil, payloads.isEmpty { payloads = [.plain] }
            handle(.begin(payloads: payloads), on: system)
        }

        /// Waits until it has ended. Call once, on the system's executor.
        func wait(isolation: isolated (any Actor)? = #isolation) async {
            await withUnsafeContinuation(isolation: isolation) { (waiter: Waiter) in
                if hasEnded { waiter.resume() } else { self.waiter = waiter }
            }
        }

        /// Cancels it, from any executor.
        func cancel(as reason: ScanError.Code = .cancelled) { system.enter { self.handle(.stopped(reason), on: $0) } }

        /// Takes the bytes that were read for it.
        func loaded(_ bytes: inout BulkBytes?, on system: isolated ScanSystem) {
            let action = state.handle(.loaded(succeeded: true))
            if case .send(let payload) = action {
                send(payload, &bytes, on: system)
            } else {
                perform(action, on: system)
            }
        }

        /// Reports that its bytes cannot be read.
        func failed(toLoad error: ScanError, on system: isolated ScanSystem) {
            let action = state.handle(.loaded(succeeded: false))
            if action == .finish { end(.error(error), on: system) } else { perform(action, on: system) }
        }

        private func handle(_ event: AttemptState.Event, on system: isolated ScanSystem) {
            perform(state.handle(event), on: system)
        }

        private func perform(_ action: AttemptState.Action, on system: isolated ScanSystem) {
            switch action {
            case .none: break
            case .finish: preconditionFailure("it ends with a response or an error of its own")
            case .send(let payload):
                var bytes: BulkBytes?
                send(payload, &bytes, on: system)
            case .load(let payload): load(payload, on: system)
            case .stopLoading: loading?.cancel()
            case .end(let reason): end(.error(error(reason)), on: system)
            case .abandon(let reason):
                system.cancel(request)
                end(.error(error(reason)), on: system)
            case .forget: system.cancel(request)
            }
        }

        private func send(_ payload: Payload, _ bytes: inout BulkBytes?, on system: isolated ScanSystem) {
            system.timeBegins(for: self)
            request = system.start(makeRequest(payload, &bytes)) { outcome, output in self.replied(outcome, output) }
            handle(.sent, on: system)
        }

        /// The request with `payload`. It has the only reference to the bytes, so that they are freed once they are
        /// sent, and a scan may overwrite them.
        private func makeRequest(_ payload: Payload, _ bytes: inout BulkBytes?) -> AttemptRequest {
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

        private func load(_ payload: Payload, on system: isolated ScanSystem) {
            guard let bulk else { preconditionFailure("only bulk bytes are loaded") }
            let packing = if case .packed(let packing, _) = payload { packing } else { BulkPacking.none }
            system.timeEnds(for: self)
            loading = Task(executorPreference: system.executor) { [system = self.system] in
                await system.load(bulk, packing, for: self)
            }
        }

        /// The system has replied, on its executor or elsewhere. The output is valid only during this call.
        private func replied(_ outcome: AttemptOutcome, _ output: (any AttemptOutput)?) {
            var outcome = outcome
            let response = read(&outcome, output)
            if system.executor.isCurrent {
                note(outcome, response)
                system.here(self) { $0.settle(on: $1) }
            } else {
                system.enter { [outcome] in
                    self.note(outcome, response)
                    self.settle(on: $0)
                }
            }
        }

        /// Keeps a reply for ``settle(on:)``. Call on the system's executor.
        private func note(_ outcome: AttemptOutcome, _ response: SharedResponse<TaskResponse<Work>>?) {
            if !hasEnded { (self.outcome, self.response) = (outcome, response) }
        }

        override func settle(on system: isolated ScanSystem) {
            if hasEnded { return }
            guard let outcome else { preconditionFailure("it has a reply") }
            let action = state.handle(.replied(isPayloadMissing: outcome.isPayloadMissing))
            if action == .finish { return end(outcome, response, on: system) }
            (self.outcome, response) = (nil, nil)
            perform(action, on: system)
        }

        /// The response that the output makes; nil without one. The outcome then is the error, if the output is not
        /// valid.
        private func read(
            _ outcome: inout AttemptOutcome, _ output: (any AttemptOutput)?
        ) -> SharedResponse<TaskResponse<Work>>? {
            switch outcome {
            case .finished(let seconds):
                do throws(ScanError) {
                    return SharedResponse(try response(of: output, seconds: seconds))
                } catch {
                    outcome = .error(error)
                }
            case .failed: break
            case .error(var error):
                // An end that was not requested counts as a fault of the system; otherwise it would get the task again
                // at once.
                if [.cancelled, .overtaken].contains(error.code) { error.code = .invalidResponse }
                error.system = system.name
                outcome = .error(error)
            }
            return nil
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
                throw invalid("sent a result that is not valid: \(String(words: error))")
            }
            return TaskResponse(
                id: task.id, index: booking?.id.index ?? 0, result: .success(output), system: system.name,
                attempt: number, seconds: seconds)
        }

        /// The error of an attempt that ends for this reason.
        private func error(_ reason: ScanError.Code) -> ScanError {
            reason == .timedOut ? system.timedOut(after: limit) : system.cancelled(as: reason)
        }

        private func end(
            _ outcome: AttemptOutcome, _ response: SharedResponse<TaskResponse<Work>>? = nil,
            on system: isolated ScanSystem
        ) {
            self.outcome = outcome
            self.response = response
            if let booking {
                booking.shared.withLock { $0.unseen += 1 }
                endedAt = booking.systems.clock.now
                booking.systems.release(booking.reservation, as: outcome, at: endedAt)
                // Before the time of the next attempt begins.
                if let timeout, outcome.isFinished {
                    timeout.measure(cost: booking.reservation.cost, time: endedAt.since(booking.reservation.start))
                }
            }
            system.timeEnds(for: self, at: booking == nil ? nil : endedAt)
            (loading, hasEnded) = (nil, true)
            waiter.take()?.resume()
        }
    }
}
