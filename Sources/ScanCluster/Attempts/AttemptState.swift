/// Decides the course of one attempt: what is requested of its system, when bulk bytes are read, and how it ends. Pure:
/// each event leads to one action, which ``Attempt`` performs.
package struct AttemptState: Sendable {
    /// What a request carries besides the task.
    package enum Form: Equatable, Sendable {
        /// No bulk bytes: the task has none, or the system holds those of their key.
        case light
        /// A reference to bytes that the system can read itself.
        case reference
        /// The bytes.
        case bytes
    }

    package enum Event: Equatable, Sendable {
        /// Its run starts it. `holdsKey`: the system is believed to hold the bytes of its key. `packing`: how bytes
        /// are packed for it. `reads`: it reads bytes by a reference that identifies them. `compresses`: its transport
        /// may compress bytes.
        case begin(holdsKey: Bool, packing: BulkPacking, reads: Bool = false, compresses: Bool = false)
        /// The transport has taken the request.
        case sent
        /// The transport has a reply. `isBulkMissing`: the system does not have the bytes that it needs.
        case replied(isBulkMissing: Bool)
        /// The bytes were read, or cannot be read.
        case loaded(succeeded: Bool)
        /// It is to end for this reason: its time-out has passed, or its requester cancels it.
        case stopped(ScanError.Code)
    }

    package enum Action: Equatable, Sendable {
        case none
        case send(Form)
        /// Read the bytes, packed like this.
        case load(BulkPacking)
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
        /// The transport is taking a request. Goes to `requested`, `loading`, `forgotten` or `ended`.
        case sending(Form)
        /// The system has the request. Goes to `loading` or `ended`.
        case requested(Form)
        /// The bytes for a request are being read. Goes to `sending`, `stopping` or `ended`.
        case loading(Form)
        /// Cancelled while bytes were being read. Goes to `ended`.
        case stopping(ScanError.Code)
        /// Ended while the transport was taking the request, which is to be cancelled. Goes to `ended`.
        case forgotten
        /// Final.
        case ended
    }

    package private(set) var phase = Phase.idle
    private let hasBulk: Bool
    private let hasReference: Bool
    private let mayPack: Bool
    private var packing = BulkPacking.none
    /// Whether the transport may compress the bytes.
    package private(set) var mayCompress = false
    /// Whether a reference is sent before anyone has read the bytes.
    private var mayRefer = false

    /// An attempt that has not begun. `hasBulk`: its task has bulk bytes; `hasReference`: a reference may replace them;
    /// `mayPack`: they have a packed form.
    package init(hasBulk: Bool, hasReference: Bool, mayPack: Bool = false) {
        self.hasBulk = hasBulk
        self.hasReference = hasReference
        self.mayPack = mayPack
    }

    package mutating func handle(_ event: Event) -> Action {
        switch (phase, event) {
        case (.idle, .begin(let holdsKey, let packing, let reads, let compresses)):
            self.packing = mayPack ? packing : .none
            mayCompress = compresses
            mayRefer = hasReference && reads
            return !hasBulk || holdsKey ? send(.light) : provide()
        case (.sending(let form), .sent):
            phase = .requested(form)
            return .none
        case (.forgotten, .sent):
            phase = .ended
            return .forget
        case (.sending(.light), .replied(isBulkMissing: true)) where hasBulk,
            (.requested(.light), .replied(isBulkMissing: true)) where hasBulk:
            // The system has dropped the bytes since: they are sent again.
            return provide()
        case (.sending(.reference), .replied(isBulkMissing: true)),
            (.requested(.reference), .replied(isBulkMissing: true)):
            // The system cannot read them by the reference: they are sent.
            return load(for: .bytes)
        case (.sending(.bytes), .replied(isBulkMissing: true)) where packing > .none || mayCompress,
            (.requested(.bytes), .replied(isBulkMissing: true)) where packing > .none || mayCompress:
            // The system cannot unpack or expand them: they are sent as they are.
            (packing, mayCompress) = (.none, false)
            return load(for: .bytes)
        case (.sending, .replied), (.requested, .replied):
            return finish()
        case (.loading(let form), .loaded(succeeded: true)):
            return send(form)
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
        case (.idle, _), (.sending, _), (.requested, _), (.loading, _), (.stopping, _), (.forgotten, _), (.ended, _):
            // The event comes too late, or twice.
            return .none
        }
    }

    /// The bytes are read, unless the system reads them itself and nobody needs their checksum.
    private mutating func provide() -> Action {
        mayRefer ? send(.reference) : load(for: hasReference ? .reference : .bytes)
    }

    private mutating func send(_ form: Form) -> Action {
        phase = .sending(form)
        return .send(form)
    }

    private mutating func load(for form: Form) -> Action {
        phase = .loading(form)
        return .load(packing)
    }

    private mutating func finish() -> Action {
        phase = .ended
        return .finish
    }
}
