import ScanCluster
import ScanNetwork
import ScanTestSupport
import Testing

@Suite("Tasks on a node", .timeLimit(.minutes(10)))
struct NodeTaskTests {
    /// A coordinator that sends its frames in an order of its own.
    private final class Coordinator {
        private let client: StrangeClient
        private let socket: SecureSocket
        private var decoder = FrameDecoder(limit: 1 << 20)
        private var isGreeted = false

        init(_ node: TestNode) throws {
            client = try StrangeClient(node.address)
            socket = try client.secured()
            try socket.send(try ClientHandshake().greeting(CoordinatorInfo(name: "odd", frameLimit: 1 << 20)))
        }

        func send(_ frames: (inout ByteWriter) throws -> Void) throws {
            var writer = ByteWriter()
            try frames(&writer)
            try socket.send([UInt8](writer.bytes))
        }

        /// The next response: its request, and its output if it has one.
        func response() throws -> (request: UInt64, output: Int?) {
            while true {
                while isGreeted, let frame = try decoder.next() {
                    guard case .response(let response) = frame else { continue }
                    return (response.request, try? WireDecoder().decode(Int.self, from: response.body))
                }
                let bytes = try socket.receive()
                if bytes.isEmpty { throw ConnectError(.lost, "closed the connection") }
                decoder.space().copyBytes(from: bytes)
                decoder.received(bytes.count)
                if !isGreeted, case .open(_, _, let consumed) = ClientHandshake().received(decoder.waiting) {
                    decoder.skip(consumed)
                    isGreeted = true
                }
            }
        }

        func close() { client.close() }
    }

    @Test("that have ended are answered while one goes on, however many wait behind that")
    func answersDoNotWait() throws {
        let node = try TestNode(slots: 1) { $0.queueLimit = 500 }
        let coordinator = try Coordinator(node)
        let gate = Gate.make()
        try coordinator.send { frames in
            for id in 0..<10 { try frames.putTask(SumTask(id: id, number: id), request: UInt64(id)) }
            try frames.putTask(GateTask(id: 10, gate: gate), request: 10)
            for id in 11..<200 { try frames.putTask(SumTask(id: id, number: id), request: UInt64(id)) }
        }
        for id in 0..<10 { #expect(try coordinator.response() == (UInt64(id), id)) }
        Gate.open(gate)
        #expect(try coordinator.response().request == 10)
        for id in 11..<200 { #expect(try coordinator.response() == (UInt64(id), id)) }
        coordinator.close()
        node.server.stop()
    }

    @Test("under the number of a cancelled one are not answered with the outcome of that one")
    func numberUsedAgain() async throws {
        let node = try TestNode(slots: 1)
        let coordinator = try Coordinator(node)
        let gate = Gate.make()
        try coordinator.send { try $0.putTask(GateTask(id: 1, gate: gate), request: 1) }
        await Gate.entered(gate, atLeast: 1)
        try coordinator.send { frames in
            frames.putCancel(request: 1)
            try frames.putTask(SumTask(id: 1, number: 35), request: 1)
        }
        #expect(try coordinator.response() == (1, 35))
        coordinator.close()
        node.server.stop()
    }
}

extension ByteWriter {
    fileprivate mutating func putTask<Task: ScanTask>(_ task: Task, request: UInt64) throws {
        let coded = try WireEncoder().encode(task)
        coded.withUnsafeBytes {
            putTask(request: request, attempt: 1, typeName: Task.typeName, task: $0, key: nil, bulk: nil)
        }
    }
}
