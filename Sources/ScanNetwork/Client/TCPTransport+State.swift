package import ScanCluster
import ScanCompression

extension TCPTransport {
    /// Decides for a client transport: what to do with an attempt that starts, and with a frame that arrives. Pure.
    package struct State<Completion> {
        /// The state of a transport.
        package enum Phase: Equatable, Sendable {
            /// Attempts are sent. Goes to `draining` or `ended`.
            case open
            /// The node finishes its tasks; new attempts get this error. Goes to `ended`.
            case draining(ScanError)
            /// The connection has ended; new attempts get this error. Final.
            case ended(ScanError)
        }

        /// What to do after a frame.
        package enum Action {
            /// Nothing, as after an answer to an attempt that was cancelled or timed out.
            case none
            case complete(Completion, AttemptOutcome, (any AttemptOutput)?)
            /// The task of a request that waits has reported something.
            case report(AttemptHandle, TaskReport)
            /// The node takes no more tasks.
            case leave
        }

        private struct Request {
            var completion: Completion
            var identity: TaskFrame.Identity
            /// Nil if the attempt has no bulk bytes.
            var bulk: Bulk?
        }

        /// The bulk bytes of a request. A class, so that a request without any is small.
        private final class Bulk {
            let key: BulkKey?
            /// Origin of the reference that was sent instead of the bytes.
            let origin: [UInt8]?
            /// The reference, if it was sent without a checksum and asks for bytes of a task.
            let identified: BulkReference?
            /// Number of the bytes, or of those to which the reference refers.
            let count: Int
            let isPacked: Bool
            let isQuestion: Bool
            var isCompressed = false

            init(_ attempt: AttemptRequest, reference: BulkReference?) {
                key = attempt.bulkKey
                origin = reference?.origin
                identified = attempt.bulk == nil && reference?.isQuestion != true ? reference : nil
                count = attempt.bulk?.count ?? attempt.referredCount
                isQuestion = reference?.isQuestion == true
                isPacked = attempt.bulk?.unpackedCount != nil
            }
        }

        package private(set) var phase = Phase.open
        private let node: NodeInfo
        private var pending = PendingResponses<Request>()
        private var held = HeldKeys()
        /// Origins that the node could not read.
        private var unreadable: Set<[UInt8]> = []
        private let unpacks: Bool
        private let isLocal: Bool
        /// Number of attempts whose packed bulk bytes the node could not unpack.
        private var unpackFailures = 0
        /// Whether bulk bytes may be compressed for the node on another machine.
        private var mayCompress: Bool
        /// After this many, it is sent no more of them: each is sent again as it is.
        private static var unpackFailureLimit: Int { 4 }
        /// The node's message when it announced its end.
        private var goodbye: String?
        private var traffic = BulkTraffic()
        private var report: BulkReport?

        /// The transport of an open connection to `node`, for a coordinator that packs bulk bytes in the form `packed`;
        /// nil if in none. `compresses`: it can compress them. `isLocal`: the node is on the same machine.
        package init(node: NodeInfo, packed: String? = nil, compresses: Bool = false, isLocal: Bool = false) {
            self.node = node
            unpacks = packed != nil && node.unpacks == packed
            mayCompress = compresses && node.expands == BulkCompression.form
            self.isLocal = isLocal
        }

        /// How bulk bytes are packed for the node. On one machine the time to unpack is not made up for by the link.
        package var bulkPacking: BulkPacking {
            guard unpacks, unpackFailures < Self.unpackFailureLimit else { return .none }
            return isLocal ? .light : .stored
        }

        /// Whether bulk bytes may be compressed for the node: never on one machine, and not again after it failed to
        /// expand some.
        package var compresses: Bool { mayCompress && !isLocal }

        /// Whether they may be compressed as scaled integers.
        package var expandsScaled: Bool { compresses && node.expandsScaled == BulkCompression.scaledForm }

        /// Attempts that wait for an answer.
        package var waiting: Int { pending.count }

        /// Whether the node is believed to keep the bytes of `key`.
        package func holds(_ key: BulkKey) -> Bool { held.contains(key) }

        /// Why no attempt can start; nil if one can.
        package var refusal: ScanError? {
            switch phase {
            case .open: nil
            case .draining(let error), .ended(let error): error
            }
        }

        /// What requests of a task with these bulk bytes carry, in the order in which that is tried.
        package func payloads(of source: BulkSource) -> [Payload] {
            Payload.order(
                of: source, holdsKey: source.key.map(holds) ?? false, reads: source.reference.map(reads) ?? false,
                packing: source.packing(bulkPacking, holds: holds), compresses: compresses)
        }

        /// Whether the node reads the bytes of a reference that identifies them.
        package func reads(_ reference: BulkReference) -> Bool {
            reference.identifiesBytes && node.identifiesBulk == true && reference.size <= FrameFormat.referenceLimit
                && !unreadable.contains(reference.origin)
        }

        /// The reference to send instead of the attempt's bulk bytes; nil if the bytes must be sent.
        package func reference(for attempt: AttemptRequest) -> BulkReference? {
            // Without bytes there is nothing else to send.
            if attempt.bulk == nil { return attempt.reference }
            guard let reference = attempt.reference, node.readsReferences == true,
                reference.size <= FrameFormat.referenceLimit
            else { return nil }
            return unreadable.contains(reference.origin) ? nil : reference
        }

        /// An attempt is sent, or its bulk bytes wait to be sent, which ``sends(_:_:task:)`` then reports. `task`:
        /// checksum of the coded task.
        /// - Returns: the number of its request, and the reference to send instead of its bulk bytes; see
        ///   ``reference(for:)``.
        package mutating func start(
            _ attempt: AttemptRequest, task: UInt64, completion: Completion
        ) -> (request: UInt64, reference: BulkReference?) {
            let identity = TaskFrame.Identity(task: task, attempt: UInt32(clamping: attempt.number))
            guard attempt.bulk != nil || attempt.reference != nil else {
                return (pending.insert(Request(completion: completion, identity: identity)), nil)
            }
            return startWithBulk(attempt, Request(completion: completion, identity: identity))
        }

        /// Apart from ``start(_:task:completion:)``, which is then small enough for its callers to inline.
        private mutating func startWithBulk(
            _ attempt: AttemptRequest, _ request: Request
        ) -> (request: UInt64, reference: BulkReference?) {
            var request = request
            let reference = reference(for: attempt)
            if reference == nil, let bulk = attempt.bulk, !waits(attempt) { traffic.sent.add(bulk.count) }
            request.bulk = Bulk(attempt, reference: reference)
            return (pending.insert(request), reference)
        }

        /// Whether the bulk bytes of the attempt, if they are sent, wait for the link, where they may be compressed.
        package func waits(_ attempt: AttemptRequest) -> Bool {
            attempt.numberSize != nil && compresses
                && attempt.bulk.map { $0.unpackedCount == nil && $0.count > 0 } == true
        }

        /// Bulk bytes that waited for the link are sent as `bytes`, beside the task, which was coded again.
        package mutating func sends(_ request: UInt64, _ bytes: BulkBytes, task: UInt64) {
            pending.change(request) { $0.identity.task = task }
            traffic.sent.add(bytes.count)
            guard bytes.isCompressed else { return }
            traffic.compressed.add(bytes.unpackedCount ?? 0)
            pending[request]?.bulk?.isCompressed = true
        }

        /// An attempt whose bulk bytes wait is not sent.
        /// - Returns: what its requester waits for; nil if it does not wait any more.
        package mutating func withdraw(_ request: UInt64) -> Completion? { pending.remove(request)?.completion }

        /// The traffic since the last call; nil if there was none.
        package mutating func takeTraffic() -> BulkTraffic? {
            if traffic == BulkTraffic() { return nil }
            defer { traffic = BulkTraffic() }
            return traffic
        }

        /// What the node has reported since the last call about bytes that it was to read; nil if nothing.
        package mutating func takeReport() -> BulkReport? { report.take() }

        /// An attempt is cancelled.
        /// - Returns: whether to send the cancellation to the node; false if it has answered.
        package mutating func cancel(_ request: UInt64) -> Bool { pending.remove(request) != nil }

        /// A frame came from the node.
        package mutating func received(_ frame: Frame) throws(ProtocolError) -> Action {
            switch frame {
            case .response(let response):
                guard let request = pending.remove(response.request) else { return .none }
                guard response.identity == request.identity else {
                    let error = ScanError(
                        .invalidResponse, "sent the response to another task or attempt", system: node.name)
                    return .complete(request.completion, .error(error), nil)
                }
                if let bulk = request.bulk {
                    if bulk.origin != nil, !bulk.isQuestion { traffic.read.add(bulk.count) }
                    if let reference = bulk.identified, let checksum = response.bulkChecksum {
                        report = BulkReport(reference: reference, checksum: checksum)
                    }
                    if response.keptBulk, let key = bulk.key { held.insert(key) }
                }
                return Self.complete(request.completion, response)
            case .refusal(let number, let reason, let message):
                guard let request = pending.remove(number) else { return .none }
                if reason == .bulkElsewhere, let origin = request.bulk?.origin {
                    // The set is bounded: all are removed at once, and then tried again.
                    if unreadable.count >= 64 { unreadable = [] }
                    unreadable.insert(origin)
                    if let reference = request.bulk?.identified { report = BulkReport(reference: reference) }
                } else if reason == .bulkElsewhere, request.bulk?.isCompressed == true {
                    mayCompress = false
                } else if reason == .bulkElsewhere, request.bulk?.isPacked == true {
                    unpackFailures += 1
                }
                let error = ScanError(reason.code, message.printable, system: node.name)
                return .complete(request.completion, .error(error), nil)
            case .report(let request, let report):
                return pending[request] == nil ? .none : .report(AttemptHandle(rawValue: request), report)
            case .goodbye(let draining, let message):
                goodbye = message.printable
                guard draining else { return .none }
                // Attempts whose bytes are still being read get this error, not that of the connection's end.
                if case .open = phase { phase = .draining(ScanError(.draining, message.printable, system: node.name)) }
                return .leave
            case .task, .cancel, .ping, .pong, .call, .weight: throw ProtocolError("a node sent a coordinator's frame")
            case .reply: throw ProtocolError("a node replied to no call")
            }
        }

        /// The connection has ended.
        /// - Returns: the loss, and the error with which to complete the attempts that wait.
        package mutating func end(_ error: ConnectError) -> (
            loss: ConnectError, reply: ScanError, waiting: [Completion]
        ) {
            let message = goodbye.map { "\(error.message) (\($0))" } ?? error.message
            // A node that takes its leave has not been ended by a task.
            let isLost = goodbye == nil && error.code != .disconnected
            let loss = ConnectError(isLost ? .lost : .disconnected, message, system: node.name)
            // Attempts that a draining node has not answered arrived after it began to drain.
            let code = refusal?.code ?? (isLost ? .systemLost : .disconnected)
            let reply = ScanError(code, message, system: node.name)
            phase = .ended(reply)
            return (loss, reply, pending.removeAll().map(\.completion))
        }

        private static func complete(_ completion: Completion, _ frame: ResponseFrame) -> Action {
            if frame.succeeded {
                return .complete(completion, .finished(seconds: frame.seconds), CodedOutput(bytes: frame.body))
            }
            let report = CodedFailure(decoding: frame.body)
            return .complete(completion, .failed(report.cause, log: report.log, seconds: frame.seconds), nil)
        }
    }

    /// The bytes of an output. Unlike a frame, it fits into an existential without an allocation.
    private struct CodedOutput: AttemptOutput {
        let bytes: UnsafeRawBufferPointer

        func decode<Output: Decodable & Sendable>(_ type: Output.Type) throws -> Output {
            try WireDecoder().decode(type, from: bytes)
        }
    }
}
