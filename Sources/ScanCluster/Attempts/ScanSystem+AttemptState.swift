extension ScanSystem {
    /// Decides the course of one attempt: what is requested of its system, when bulk bytes are read, and how it ends.
    /// Pure: each event leads to one action, which ``Attempt`` performs.
    package struct AttemptState: Sendable {
        package enum Event: Equatable, Sendable {
            /// Its run starts it. `payloads`: what the request carries, in the order in which that is tried; empty if
            /// the task has no bulk bytes.
            case begin(payloads: [Payload])
            /// The transport has taken the request.
            case sent
            /// The transport has a reply. `isPayloadMissing`: the system does not have the bytes that it needs.
            case replied(isPayloadMissing: Bool)
            /// The bytes were read, or cannot be read.
            case loaded(succeeded: Bool)
            /// It is to end for this reason: its time-out has passed, or its requester cancels it.
            case stopped(ScanError.Code)
        }

        package enum Action: Equatable, Sendable {
            case none
            case send(Payload)
            /// Read the bytes for this payload.
            case load(Payload)
            /// Stop reading the bytes; the attempt ends when the reader has stopped.
            case stopLoading
            /// End with what has just arrived: the reply, or the error of reading.
            case finish
            /// End for this reason.
            case end(ScanError.Code)
            /// Cancel the request, and end for this reason.
            case abandon(ScanError.Code)
            /// Cancel the request of an attempt that has ended.
            case forget
        }

        package enum Phase: Equatable, Sendable {
            /// Not begun. Goes to `sending`, `loading` or `ended`.
            case idle
            /// The transport is taking a request. Goes to `requested`, `sending`, `loading`, `forgotten` or `ended`.
            case sending
            /// The system has the request. Goes to `sending`, `loading` or `ended`.
            case requested
            /// The bytes for a request are being read. Goes to `sending`, `stopping` or `ended`.
            case loading(Payload)
            /// Cancelled while bytes were being read. Goes to `ended`.
            case stopping(ScanError.Code)
            /// Ended while the transport was taking the request, which is to be cancelled. Goes to `ended`.
            case forgotten
            /// Final.
            case ended
        }

        package private(set) var phase = Phase.idle
        /// The payloads that were not tried yet, the last one first.
        private var rest: [Payload] = []

        /// An attempt that has not begun.
        package init() {}

        package mutating func handle(_ event: Event) -> Action {
            switch (phase, event) {
            case (.idle, .begin(let payloads)):
                if payloads.isEmpty { return send(.held) }
                rest = payloads.reversed()
                return provide(rest.removeLast())
            case (.sending, .sent):
                phase = .requested
                return .none
            case (.forgotten, .sent):
                phase = .ended
                return .forget
            case (.sending, .replied(isPayloadMissing: true)) where !rest.isEmpty,
                (.requested, .replied(isPayloadMissing: true)) where !rest.isEmpty:
                return provide(rest.removeLast())
            case (.sending, .replied), (.requested, .replied):
                return finish()
            case (.loading(let payload), .loaded(succeeded: true)):
                return send(payload)
            case (.loading, .loaded(succeeded: false)):
                return finish()
            // Only the time of a request is limited.
            case (.loading, .stopped(let reason)) where reason != .timedOut:
                phase = .stopping(reason)
                return .stopLoading
            case (.stopping(let reason), .loaded):
                phase = .ended
                return .end(reason)
            case (.idle, .stopped(let reason)) where reason != .timedOut:
                phase = .ended
                return .end(reason)
            case (.sending, .stopped(let reason)):
                phase = .forgotten
                return .end(reason)
            case (.requested, .stopped(let reason)):
                phase = .ended
                return .abandon(reason)
            case (.idle, _), (.sending, _), (.requested, _), (.loading, _), (.stopping, _), (.forgotten, _),
                (.ended, _):
                // The event comes too late, or twice.
                return .none
            }
        }

        /// Bytes are read before they are sent.
        private mutating func provide(_ payload: Payload) -> Action {
            switch payload {
            case .held, .reference: return send(payload)
            case .packed, .plain:
                phase = .loading(payload)
                return .load(payload)
            }
        }

        private mutating func send(_ payload: Payload) -> Action {
            phase = .sending
            return .send(payload)
        }

        private mutating func finish() -> Action {
            phase = .ended
            return .finish
        }
    }
}
