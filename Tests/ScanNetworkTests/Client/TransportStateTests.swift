import ScanCluster
import ScanCompression
import ScanNetwork
import Testing

@Suite struct TransportStateTests {
    private func state() -> TCPTransport.State<Int> {
        var node = NodeInfo(
            identity: SystemID(high: 0, low: 1), name: "node", slots: 1, queueLimit: 1, taskTypes: [],
            frameLimit: 1 << 20)
        node.readsReferences = true
        return TCPTransport.State(node: node)
    }

    private func attempt(reference: BulkReference? = nil) -> AttemptRequest {
        var attempt = AttemptRequest(
            task: ProbeTask(id: 1), number: 1, bulkKey: BulkKey(job: 1, index: 1),
            bulk: BulkBytes(byteCount: 1) { $0[0] = 1 })
        attempt.reference = reference
        return attempt
    }

    private func refusal(_ request: UInt64, _ reason: RefusalReason) -> Frame {
        .refusal(request: request, reason: reason, message: "no")
    }

    @Test("an answer completes its attempt once; after a cancellation it is ignored")
    func answers() throws {
        var state = state()
        let requests = (0..<2).map { state.start(attempt(), task: 9, completion: $0).request }
        let cancelled = (0..<2).map { _ in state.cancel(requests[0]) }
        #expect(cancelled == [true, false])
        guard case .none = try state.received(refusal(requests[0], .queueFull)) else {
            Issue.record("a cancelled attempt was completed")
            return
        }
        let response = ResponseFrame(
            request: requests[1], identity: .init(task: 9, attempt: 1), succeeded: true, keptBulk: true, seconds: 1,
            body: UnsafeRawBufferPointer(start: nil, count: 0))
        guard case .complete(1, .finished, _?) = try state.received(.response(response)) else {
            Issue.record("an answer was lost")
            return
        }
        #expect(state.waiting == 0)
        #expect(state.holds(BulkKey(job: 1, index: 1)))
    }

    @Test(
        "a response to another task or attempt is invalid",
        arguments: [TaskFrame.Identity(task: 8, attempt: 1), .init(task: 9, attempt: 2)])
    func otherTask(identity: TaskFrame.Identity) throws {
        var state = state()
        let request = state.start(attempt(), task: 9, completion: 1).request
        let response = ResponseFrame(
            request: request, identity: identity, succeeded: true, keptBulk: true, seconds: 1,
            body: UnsafeRawBufferPointer(start: nil, count: 0))
        guard case .complete(1, .error(let error), nil) = try state.received(.response(response)) else {
            Issue.record("the response was believed")
            return
        }
        #expect(error.code == .invalidResponse && state.waiting == 0)
        #expect(!state.holds(BulkKey(job: 1, index: 1)))
    }

    @Test("bytes are packed for a node that unpacks their form; on one machine only if that takes no time")
    func packing() {
        var node = NodeInfo(
            identity: SystemID(high: 0, low: 1), name: "node", slots: 1, queueLimit: 1, taskTypes: [],
            frameLimit: 1 << 20)
        func packing(_ form: String?, isLocal: Bool = false) -> BulkPacking {
            TCPTransport.State<Int>(node: node, packed: form, isLocal: isLocal).bulkPacking
        }
        #expect(packing("stars/1") == .none)
        node.unpacks = "stars/1"
        #expect(packing(nil) == .none && packing("stars/2") == .none)
        #expect(packing("stars/1") == .stored && packing("stars/1", isLocal: true) == .light)
    }

    @Test("a file that the node cannot read is not referred to again")
    func unreadable() throws {
        var state = state()
        let attempt = attempt(reference: BulkReference(origin: [1], part: [2]))
        let (request, reference) = state.start(attempt, task: 9, completion: 1)
        _ = try #require(reference)
        guard case .complete(1, .error(let error), nil) = try state.received(refusal(request, .bulkElsewhere)) else {
            Issue.record("a refusal was lost")
            return
        }
        #expect(error.code == .bulkMissing)
        #expect(state.reference(for: attempt) == nil)
    }

    @Test("bytes that are sent count at once, those that the node reads itself once it has answered")
    func traffic() throws {
        var state = state()
        _ = state.start(attempt(), task: 9, completion: 0)
        let taken = [state.takeTraffic(), state.takeTraffic()]
        #expect(taken[0]?.sent.bytes == 1 && taken[1] == nil)
        let reference = BulkReference(origin: [1], part: [2])
        let requests = (1...2).map { state.start(attempt(reference: reference), task: 9, completion: $0).request }
        _ = try state.received(refusal(requests[0], .bulkElsewhere))
        let refused = state.takeTraffic()
        #expect(refused == nil)
        let response = ResponseFrame(
            request: requests[1], identity: .init(task: 9, attempt: 1), succeeded: true, keptBulk: true, seconds: 1,
            body: UnsafeRawBufferPointer(start: nil, count: 0))
        _ = try state.received(.response(response))
        let traffic = state.takeTraffic()
        #expect(traffic?.read.attempts == 1 && traffic?.read.bytes == 1 && traffic?.sent.attempts == 0)
    }

    @Test("numbers wait, to be compressed, for a node on another machine that expands them, until it fails to")
    func compression() throws {
        var node = NodeInfo(
            identity: SystemID(high: 0, low: 1), name: "node", slots: 1, queueLimit: 1, taskTypes: [],
            frameLimit: 1 << 20)
        var numbers = attempt()
        numbers.numberSize = 4
        func waits(_ attempt: AttemptRequest, compresses: Bool = true, isLocal: Bool = false) -> Bool {
            TCPTransport.State<Int>(node: node, compresses: compresses, isLocal: isLocal).waits(attempt)
        }
        #expect(!waits(numbers))
        node.expands = "planes-zstd/0"
        #expect(!waits(numbers))
        node.expands = BulkCompression.form
        #expect(waits(numbers) && !waits(attempt()))
        #expect(!waits(numbers, compresses: false) && !waits(numbers, isLocal: true))
        #expect(!TCPTransport.State<Int>(node: node, compresses: true).expandsScaled)
        node.expandsScaled = BulkCompression.scaledForm
        #expect(TCPTransport.State<Int>(node: node, compresses: true).expandsScaled)
        #expect(!TCPTransport.State<Int>(node: node, compresses: true, isLocal: true).expandsScaled)
        var packed = numbers
        packed.bulk = BulkBytes(byteCount: 1, unpackedCount: 8) { $0[0] = 1 }
        #expect(!waits(packed))

        var state = TCPTransport.State<Int>(node: node, compresses: true)
        let requests = (0..<3).map { state.start(numbers, task: 9, completion: $0).request }
        let before = state.takeTraffic()
        #expect(before == nil)
        state.sends(requests[0], BulkBytes(compressedCount: 5, unpackedCount: 8) { _ in }, task: 9)
        let traffic = state.takeTraffic()
        #expect(traffic?.sent.bytes == 5 && traffic?.compressed.bytes == 8 && traffic?.compressed.attempts == 1)
        let withdrawn = [state.withdraw(requests[1]), state.withdraw(requests[1])]
        #expect(withdrawn == [1, nil] && state.waiting == 2)
        _ = try state.received(refusal(requests[0], .bulkElsewhere))
        #expect(!state.compresses && !state.waits(numbers))
    }

    @Test("a draining node gets no attempt, and those that it leaves unanswered are returned")
    func draining() throws {
        var state = state()
        _ = state.start(attempt(), task: 9, completion: 7)
        guard case .leave = try state.received(.goodbye(draining: true, message: "bye")) else {
            Issue.record("a goodbye was lost")
            return
        }
        #expect(state.refusal?.code == .draining)
        let end = state.end(ConnectError(.lost, "closed"))
        #expect(end.loss == ConnectError(.disconnected, "closed (bye)", system: "node"))
        #expect(end.reply.code == .draining && end.waiting == [7] && state.waiting == 0)
        #expect(state.phase == .ended(end.reply))
    }

    @Test("only an end that neither side has announced may be that of the node's process")
    func ends() throws {
        for (code, isAnnounced, loss, reply) in [
            (.lost, false, .lost, .systemLost), (.lost, true, .disconnected, .disconnected),
            (.disconnected, false, .disconnected, .disconnected), (.authentication, false, .lost, .systemLost),
        ] as [(ConnectError.Code, Bool, ConnectError.Code, ScanError.Code)] {
            var state = state()
            _ = state.start(attempt(), task: 9, completion: 7)
            if isAnnounced { _ = try state.received(.goodbye(draining: false, message: "bye")) }
            let end = state.end(ConnectError(code, "closed"))
            #expect(end.loss.code == loss && end.reply.code == reply && end.waiting == [7])
        }
    }
}
