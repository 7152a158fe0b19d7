package import ScanCluster

/// The properties by which a session decides about a task that the node has taken.
package protocol SessionTask: AnyObject {
    /// Number of the request; unique among the open requests of the connection.
    var request: UInt64 { get }
    var identity: TaskFrame.Identity { get }
    var typeName: String { get }
    var grant: TaskGrant { get }
    /// Seconds that the scan took.
    var seconds: Double { get }
    /// The outcome; nil if the task was skipped.
    var result: CodedResult? { get }
    /// The bulk bytes that the task read by reference or unpacked.
    var readBulk: BulkBytes? { get }
}

extension NodeSession {
    /// Decides what a node does with one coordinator's connection: which tasks it runs, what it answers, what it logs,
    /// and what ends with the connection. Pure; `Work` is what the caller runs.
    package struct State<Work: SessionTask> {
        private enum Phase {
            /// The coordinator has not sent a valid hello. Goes to `open`, `refused`, `answered` or `ended`.
            case greeting
            /// Frames are exchanged; the coordinator accepts frames of `frameLimit` bytes. Goes to `ended`.
            /// Indirect: each task looks at the phase.
            indirect case open(NodeServer.Peer, frameLimit: Int)
            /// The coordinator sends calls, of which these are not answered yet. Goes to `ended`.
            indirect case calls(NodeServer.Peer, Set<UInt64>)
            /// The hello was refused, for this reason. Goes to `ended`.
            case refused(String)
            /// The hello had an order, which was answered. Goes to `ended`.
            case answered
            /// The connection has ended. Tasks that still run are not answered.
            case ended
        }

        /// What to do with a task that arrived.
        package enum TaskAction {
            /// Run it.
            case run(Work)
            /// Send a refusal, and report the event if there is one. Indirect, so that the usual case is one word.
            indirect case refuse(RefusalReason, message: String, NodeServer.Event?)
        }

        /// What to send for a task that has ended.
        package enum Answer {
            /// Nothing: the request was cancelled, or the connection has ended.
            case nothing
            /// Send the output.
            case output([UInt8], keptBulk: Bool)
            /// Send the failure, and report the event. Indirect, so that the usual cases are small.
            indirect case failure(CodedFailure, keptBulk: Bool, NodeServer.Event)
            /// Refuse the task so that the coordinator sends the bulk bytes, and report the event if there is one.
            indirect case requestBulk(message: String, NodeServer.Event?)
        }

        /// How a connection ended.
        package enum End {
            /// A coordinator's connection: report the event.
            case disconnected(NodeServer.Event)
            /// A peer that never became a coordinator, for this reason.
            case refused(reason: String)
            /// An order was answered.
            case answered
            /// A coordinator sent calls.
            case calls(NodeServer.Peer)
        }

        private let id: ConnectionID
        private var phase = Phase.greeting
        /// Tasks taken and not yet answered, by request.
        private var tasks: [UInt64: Work] = [:]
        /// Whether it was reported that referenced bulk bytes cannot be read.
        private var hasReportedUnreadable = false
        /// Message of the last reported refusal.
        private var lastRefusal: String?
        /// The last log lines of this connection.
        private var log = RecentLines()
        /// Tasks that were answered with an output or a failure.
        package private(set) var done = 0
        /// Tasks that were cancelled, by the coordinator or by the connection's end.
        package private(set) var cancelled = 0
        /// Why the coordinator is about to close the connection, in its words; nil until it sends that.
        package var goodbye: String?
        /// The coordinator's weight where several share the node.
        package var weight = 1.0
        private var jobs: Set<UInt64> = []

        /// Most jobs that are counted.
        private static var jobLimit: Int { 1000 }

        /// A connection that was accepted.
        package init(_ id: ConnectionID) { self.id = id }

        /// The coordinator; nil unless the connection is open.
        package var peer: NodeServer.Peer? { if case .open(let peer, _) = phase { peer } else { nil } }

        /// Whether frames are exchanged.
        package var isOpen: Bool { if case .open = phase { true } else { false } }

        /// Tasks that run or wait.
        package var inFlight: Int { tasks.count }

        /// Number of jobs that the coordinator's tasks name.
        package var jobCount: Int { jobs.count }

        /// Whether a request is not answered yet.
        package func isPending(_ request: UInt64) -> Bool { tasks[request] != nil }

        // MARK: Hello

        /// A coordinator at `address` sent a valid hello.
        /// - Returns: the event to report.
        package mutating func opened(by coordinator: CoordinatorInfo, at address: String) -> NodeServer.Event {
            let peer = NodeServer.Peer(address: address, name: coordinator.name, job: coordinator.job)
            phase = .open(peer, frameLimit: coordinator.frameLimit)
            return logged(.connected(peer))
        }

        /// A holder of the key at `address` sent a valid hello, and will send calls.
        package mutating func openedForCalls(by caller: CoordinatorInfo, at address: String) {
            phase = .calls(NodeServer.Peer(address: address, name: caller.name), [])
        }

        /// The peer's hello was refused.
        package mutating func refused(_ reason: String) { phase = .refused(reason) }

        /// The peer's hello had an order, which was answered.
        package mutating func answered() { phase = .answered }

        // MARK: Calls

        /// Most calls of a connection that wait for their replies.
        package static var callLimit: Int { 16 }

        /// A call arrived.
        /// - Returns: its caller.
        /// - Throws: ``ProtocolError`` if the connection is not one for calls, the call is open already, or too many
        ///   are.
        package mutating func called(_ number: UInt64) throws(ProtocolError) -> NodeServer.Peer {
            guard case .calls(let peer, var numbers) = phase else {
                throw ProtocolError("a call on a connection for tasks")
            }
            guard numbers.count < Self.callLimit else { throw ProtocolError("more than \(Self.callLimit) open calls") }
            guard numbers.insert(number).inserted else { throw ProtocolError("call \(number) was sent twice") }
            phase = .calls(peer, numbers)
            return peer
        }

        /// A call is answered.
        /// - Returns: whether to send the reply; false if the connection has ended.
        package mutating func replied(_ number: UInt64) -> Bool {
            guard case .calls(let peer, var numbers) = phase else { return false }
            numbers.remove(number)
            phase = .calls(peer, numbers)
            return true
        }

        // MARK: Tasks

        /// A task arrived; `make` is called if it is taken. `isKnown`: the node runs tasks of its type.
        /// - Throws: ``ProtocolError`` if its request is open already.
        package mutating func received(
            _ task: TaskFrame, isKnown: Bool, on node: inout NodeResources, make: (TaskGrant) -> Work
        ) throws(ProtocolError) -> TaskAction {
            if case .calls = phase { throw ProtocolError("a task on a connection for calls") }
            guard tasks[task.request] == nil else { throw ProtocolError("request \(task.request) was sent twice") }
            guard isKnown else {
                return refuse(task, .unknownType, "has no task type '\(task.printableTypeName)'")
            }
            switch node.admit(task, of: id, weight: weight) {
            case .refuse(let reason, let message): return refuse(task, reason, message)
            case .run(let grant):
                if let key = task.key, jobs.count < Self.jobLimit { jobs.insert(key.job) }
                let work = make(grant)
                tasks[task.request] = work
                return .run(work)
            }
        }

        private mutating func refuse(_ task: TaskFrame, _ reason: RefusalReason, _ message: String) -> TaskAction {
            // Missing bulk bytes are part of normal operation: the coordinator sends them next.
            guard reason != .bulkMissing, message != lastRefusal, case .open(let peer, _) = phase else {
                return .refuse(reason, message: message, nil)
            }
            lastRefusal = message
            return .refuse(
                reason, message: message, logged(.declined(peer, typeName: task.printableTypeName, reason: message)))
        }

        /// The coordinator cancelled a request.
        /// - Returns: the task to cancel; nil if the request is not open.
        package mutating func cancel(_ request: UInt64) -> Work? {
            guard let work = tasks.removeValue(forKey: request) else { return nil }
            cancelled += 1
            return work
        }

        /// Takes back the tasks that are to be done elsewhere, in the order of their requests: they are not answered.
        package mutating func takeBack(where isWanted: (Work) -> Bool) -> [Work] {
            let works = tasks.values.filter(isWanted).sorted { $0.request < $1.request }
            for work in works { tasks[work.request] = nil }
            cancelled += works.count
            return works
        }

        /// A task has ended; ``NodeResources/finish(_:)`` was called before.
        package mutating func ended(_ work: Work, on node: inout NodeResources) -> Answer {
            // A request number may have been used again after a cancellation.
            guard let index = tasks.index(forKey: work.request), tasks.values[index] === work else { return .nothing }
            guard let result = work.result, case .open(let peer, let frameLimit) = phase else { return .nothing }
            tasks.remove(at: index)
            if case .bulkElsewhere(let reason) = result {
                // Reported once, and only to the node's owner: coordinators must not learn what its folders contain.
                let event = hasReportedUnreadable ? nil : NodeServer.Event.unreadable(peer, reason: reason.printable)
                hasReportedUnreadable = true
                return .requestBulk(message: "cannot read or unpack the bulk bytes", event)
            }
            done += 1
            var isKept = work.grant.isBulkKept
            if let bytes = work.readBulk, let key = work.grant.key { isKept = node.keep(bytes, as: key, of: id) }
            switch result {
            case .output(let bytes)
            where bytes.count + FrameFormat.responseHeaderSize + FrameFormat.bulkChecksumSize <= frameLimit:
                return .output(bytes, keptBulk: isKept)
            case .output(let bytes):
                let cause = "the result has \(bytes.count) bytes; the coordinator takes \(frameLimit)"
                return failure(cause, of: work, keptBulk: isKept, peer)
            case .failure(let cause), .bulkElsewhere(let cause):
                return failure(cause, of: work, keptBulk: isKept, peer)
            }
        }

        /// The cause of a failure, with the log lines since the last failure that was sent.
        private mutating func failure(
            _ cause: String, of work: Work, keptBulk: Bool, _ peer: NodeServer.Peer
        ) -> Answer {
            let event = logged(
                .failed(
                    peer, typeName: work.typeName, attempt: Int(work.identity.attempt), seconds: work.seconds,
                    reason: String(cause.printable.prefix(CodedFailure.lineLength))))
            return .failure(CodedFailure(cause: cause, log: log.take()), keptBulk: keptBulk, event)
        }

        // MARK: The end

        /// The connection has ended for `reason`: its bulk bytes are freed.
        /// - Returns: what to report, and the tasks to cancel.
        package mutating func connectionEnded(
            _ reason: String, on node: inout NodeResources
        ) -> (End, cancelled: [Work]) {
            let works = Array(tasks.values)
            tasks = [:]
            cancelled += works.count
            node.drop(id)
            defer { phase = .ended }
            switch phase {
            case .open(let peer, _):
                let reason = goodbye.map { "\(reason) (\($0))" } ?? reason
                let event = NodeServer.Event.disconnected(peer, reason: reason, done: done, cancelled: cancelled)
                return (.disconnected(event), works)
            case .refused(let refusal): return (.refused(reason: refusal), works)
            case .calls(let peer, _): return (.calls(peer), works)
            case .answered: return (.answered, works)
            case .greeting, .ended: return (.refused(reason: reason), works)
            }
        }

        private mutating func logged(_ event: NodeServer.Event) -> NodeServer.Event {
            log.append("\(event)")
            return event
        }
    }
}
