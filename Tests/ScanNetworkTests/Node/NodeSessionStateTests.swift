import ScanCluster
import ScanNetwork
import Testing

@Suite("Session of a node")
struct NodeSessionStateTests {
    /// A task that was taken, and ends as the test decides.
    private final class Work: SessionTask {
        let request: UInt64
        let identity = TaskFrame.Identity(task: 0, attempt: 1)
        let typeName = "sum/1"
        let grant: TaskGrant
        var seconds = 0.5
        var result: CodedResult?
        var readBulk: BulkBytes?

        init(_ request: UInt64, _ grant: TaskGrant) { (self.request, self.grant) = (request, grant) }
    }

    private let key = BulkKey(job: 7, index: 1)
    private let bytes = BulkBytes(byteCount: 3) { $0.copyBytes(from: [1, 2, 3]) }
    private let reference = BulkReference(origin: [1], part: [2])
    private var node = NodeResources(
        admission: .init(slots: 2, queueLimit: 2), cache: .init(limit: 10), readsReferences: true)
    private var session = NodeSession.State<Work>(1)

    init() {
        _ = session.opened(by: CoordinatorInfo(name: "desk", frameLimit: 4096, job: "j"), at: "10.0.0.1:5")
    }

    /// Hands a task frame to the session.
    private mutating func receive(
        _ request: UInt64, key: BulkKey? = nil, isLastUse: Bool = false, bulk: BulkBytes? = nil,
        reference: BulkReference? = nil, isKnown: Bool = true
    ) throws -> NodeSession.State<Work>.TaskAction {
        var writer = ByteWriter()
        writer.putTask(
            request: request, attempt: 1, typeName: "sum/1", task: UnsafeRawBufferPointer(start: nil, count: 0),
            key: key, isLastUse: isLastUse, bulk: bulk, reference: reference)
        if reference == nil { bulk?.withUnsafeBytes { writer.put(raw: $0) } }
        var decoder = FrameDecoder(limit: 1 << 16)
        decoder.space().copyMemory(from: writer.bytes)
        decoder.received(writer.count)
        guard case .task(let task) = try decoder.next() else { throw ProtocolError("no task") }
        return try session.received(task, isKnown: isKnown, on: &node) { Work(request, $0) }
    }

    /// The task that was taken.
    private func taken(_ action: NodeSession.State<Work>.TaskAction) throws -> Work {
        guard case .run(let work) = action else { throw ProtocolError("\(action)") }
        return work
    }

    private func refusal(_ action: NodeSession.State<Work>.TaskAction) -> (RefusalReason, String?)? {
        guard case .refuse(let reason, _, let event) = action else { return nil }
        return (reason, event.map { "\($0)" })
    }

    /// Ends a task.
    private mutating func end(
        _ work: Work, _ result: CodedResult?
    ) -> NodeSession.State<Work>.Answer {
        work.result = result
        _ = node.finish(work.grant)
        #expect(node.isConsistent)
        return session.ended(work, on: &node)
    }

    @Test("answers a task with its output, once")
    mutating func output() throws {
        let work = try taken(receive(1))
        #expect(session.isPending(1) && session.inFlight == 1 && node.admission.inFlight == 1)
        guard case .output([9], keptBulk: false) = end(work, .output([9])) else { throw ProtocolError("no output") }
        #expect(!session.isPending(1) && session.done == 1 && node.admission.inFlight == 0)
    }

    @Test("rejects a request that is open, and takes its number again after it was cancelled")
    mutating func requestTwice() throws {
        let first = try taken(receive(1))
        #expect(throws: ProtocolError.self) { try receive(1) }
        #expect(session.cancel(1) === first)
        #expect(session.cancel(1) == nil)
        let second = try taken(receive(1))
        guard case .nothing = end(first, .output([1])) else { throw ProtocolError("answered a cancelled task") }
        guard case .output([2], _) = end(second, .output([2])) else { throw ProtocolError("no output") }
        #expect(session.cancelled == 1)
    }

    @Test("refuses an unknown type, and reports each reason once in a row")
    mutating func unknownType() throws {
        let first = try refusal(receive(1, isKnown: false))
        #expect(first?.0 == .unknownType)
        #expect(first?.1?.contains("has no task type 'sum/1'") == true)
        #expect(try refusal(receive(2, isKnown: false))?.1 == nil)
        #expect(node.admission.inFlight == 0)
    }

    @Test("refuses what exceeds slots and queue, and everything once it drains")
    mutating func full() throws {
        for request in 0..<4 { _ = try taken(receive(UInt64(request))) }
        #expect(try refusal(receive(4))?.0 == .queueFull)
        #expect(node.drain() == false)
        #expect(try refusal(receive(5))?.0 == .draining)
    }

    @Test("keeps bulk bytes for later tasks, lends them to the last one, and asks for missing ones")
    mutating func bulk() throws {
        let missing = try refusal(receive(1, key: key))
        #expect(missing?.0 == .bulkMissing && missing?.1 == nil)
        let first = try taken(receive(1, key: key, bulk: bytes))
        #expect(first.grant.isBulkKept && first.grant.bulkBytes == 3)
        guard case .output(_, keptBulk: true) = end(first, .output([])) else { throw ProtocolError("not kept") }
        let second = try taken(receive(2, key: key))
        #expect(second.grant.bulk?.count == 3 && second.grant.bulkBytes == 0)
        let last = try taken(receive(3, key: key, isLastUse: true))
        #expect(last.grant.lentBytes == 3 && node.cache.used == 3)
        _ = end(last, .output([]))
        #expect(node.cache.used == 0)
        #expect(try refusal(receive(4, key: key))?.0 == .bulkMissing)
        _ = end(second, .output([]))
    }

    @Test("keeps bytes that were read by reference, and asks for those that are not found")
    mutating func references() throws {
        let found = try taken(receive(1, key: key, bulk: bytes, reference: reference))
        #expect(found.grant.referred?.reference == reference && found.grant.bulk == nil && found.grant.bulkBytes == 3)
        found.readBulk = bytes
        guard case .output(_, keptBulk: true) = end(found, .output([])) else { throw ProtocolError("not kept") }
        #expect(node.cache.used == 3)
        let other = BulkKey(job: 7, index: 2)
        let lost = try taken(receive(2, key: other, bulk: bytes, reference: reference))
        guard case .requestBulk(_, .unreadable?) = end(lost, .bulkElsewhere("no file")) else {
            throw ProtocolError("not requested")
        }
        let again = try taken(receive(3, key: other, bulk: bytes, reference: reference))
        guard case .requestBulk(_, nil) = end(again, .bulkElsewhere("no file")) else {
            throw ProtocolError("reported twice")
        }
        #expect(session.done == 1)
    }

    @Test("without a resolver refuses references")
    mutating func noResolver() throws {
        node = NodeResources(
            admission: .init(slots: 1, queueLimit: 0), cache: .init(limit: 10), readsReferences: false)
        #expect(try refusal(receive(1, key: key, bulk: bytes, reference: reference))?.0 == .bulkElsewhere)
    }

    @Test("sends a failure with the log lines since the last one")
    mutating func failure() throws {
        guard case .failure(let first, _, .failed) = end(try taken(receive(1)), .failure("bad")) else {
            throw ProtocolError("no failure")
        }
        #expect(first.cause == "bad" && first.log.count == 2 && first.log[0].contains("connected"))
        guard case .failure(let second, _, _) = end(try taken(receive(2)), .output(Array(repeating: 0, count: 4096)))
        else { throw ProtocolError("sent a frame beyond the coordinator's limit") }
        #expect(second.cause.contains("4096 bytes") && second.log.count == 1)
        #expect(session.done == 2)
    }

    @Test("cancels its tasks and frees its bytes when the connection ends, and answers nothing from then on")
    mutating func connectionEnds() throws {
        let work = try taken(receive(1, key: key, bulk: bytes))
        let (end, cancelled) = session.connectionEnded("was silent", on: &node)
        #expect(cancelled.count == 1 && cancelled[0] === work)
        guard case .disconnected(let event) = end else { throw ProtocolError("no event") }
        #expect("\(event)".hasSuffix("was silent; 0 tasks done, 1 cancelled"))
        #expect(node.cache.used == 0 && node.admission.inFlight == 1)
        guard case .nothing = self.end(work, .output([])) else { throw ProtocolError("answered") }
        #expect(!session.isOpen && node.admission.inFlight == 0)
    }

    @Test("of a peer that was refused ends with that reason")
    mutating func refused() throws {
        var other = NodeSession.State<Work>(2)
        other.refused("it speaks protocol 9")
        guard case (.refused("it speaks protocol 9"), _) = other.connectionEnded("closed", on: &node) else {
            throw ProtocolError("another reason")
        }
    }
}
