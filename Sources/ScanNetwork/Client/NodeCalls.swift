public import ScanCluster
public import ScanSecurity

/// A connection to a node for calls: requests of any meaning, each of which the node answers with bytes.
///
/// A call needs no slot, and a paused node answers as well. See "Calls" in Docs/Protocol.md.
public final class NodeCalls: @unchecked Sendable {
    // Sendable: what changes is touched only on the loop's thread.

    /// The node at the other end.
    public let node: NodeInfo
    /// The address at which it was reached.
    public let address: String
    private let loop: EventLoop
    private var connection: Connection?
    private var end: ConnectError?
    private var waiting: [UInt64: CheckedContinuation<[UInt8], any Error>] = [:]
    private var lastNumber: UInt64 = 0

    private init(_ node: NodeInfo, _ connection: Connection, on loop: EventLoop) {
        (self.node, self.connection, self.loop) = (node, connection, loop)
        address = connection.peer.description
    }

    /// Connects a node.
    /// - Parameters:
    ///   - addresses: addresses of the node, tried in this order.
    ///   - keys: the cluster keys of which the node must hold one.
    ///   - options: how to connect.
    ///   - loop: the I/O thread.
    /// - Returns: the connection, which is open until it is closed.
    /// - Throws: `ConnectError` if no address leads to a node, or the node answers no calls.
    public static func connect(
        to addresses: [SocketAddress], keys: KeyRing, options: RemoteNodes.Options = .init(), loop: EventLoop = .shared
    ) async throws -> NodeCalls {
        var info = CoordinatorInfo(name: options.name, frameLimit: options.frameLimit)
        info.calls = true
        return try await withCheckedThrowingContinuation { continuation in
            loop.execute { [info] in
                let dialer = Dialer(
                    loop: loop, target: Dialer.Target(addresses), keys: keys.keys(at: .now), info: info,
                    timing: options.timing
                ) { result in
                    continuation.resume(with: result.flatMap { open($0, $1, on: loop) })
                }
                dialer.start()
            }
        }
    }

    private static func open(
        _ node: NodeInfo, _ connection: Connection, on loop: EventLoop
    ) -> Result<NodeCalls, ConnectError> {
        guard node.answersCalls == true else {
            // Not from inside the connection's own call.
            loop.execute { connection.end(closed, politely: true) }
            return .failure(
                ConnectError(
                    .incompatible, "runs skyfarm \(node.software), which answers no calls about jobs", system: node.name
                ))
        }
        let calls = NodeCalls(node, connection, on: loop)
        connection.hand(to: calls)
        return .success(calls)
    }

    private static let closed = ConnectError(.lost, "was disconnected by this program")

    /// Sends a call of at most 16 MiB, and waits for its reply.
    /// - Throws: `ConnectError` if the connection ends, or the call is too long.
    public func call(_ body: [UInt8]) async throws -> [UInt8] {
        guard body.count <= FrameFormat.callBodyLimit else {
            throw ConnectError(.refused, "a call of \(body.count) bytes; the limit is \(FrameFormat.callBodyLimit)")
        }
        return try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                guard let connection = self.connection else {
                    return continuation.resume(throwing: self.end ?? Self.closed)
                }
                self.lastNumber += 1
                self.waiting[self.lastNumber] = continuation
                connection.send { $0.putCall(self.lastNumber, body: body) }
            }
        }
    }

    /// Closes the connection. Open calls throw.
    public func close() {
        loop.execute { self.connection?.end(Self.closed, politely: true) }
    }
}

extension NodeCalls: ConnectionDelegate {
    func greet(_ bytes: UnsafeRawBufferPointer, on connection: Connection) -> GreetingStep {
        .end(ConnectError(.incompatible, "sent a second hello"))
    }

    func greetingEnded(_ bytes: UnsafeRawBufferPointer) -> ConnectError { Self.closed }

    func greetingTimedOut(after limit: Duration, on connection: Connection) -> ConnectError { Self.closed }

    func received(_ frame: Frame, on connection: Connection) throws(ProtocolError) {
        switch frame {
        case .reply(let reply):
            guard let continuation = waiting.removeValue(forKey: reply.number) else {
                throw ProtocolError("a node replied to no call")
            }
            continuation.resume(returning: Array(reply.body))
        case .goodbye(_, let message): end = ConnectError(.lost, message.printable, system: node.name)
        case .task, .response, .refusal, .cancel, .ping, .pong, .call, .weight, .report:
            throw ProtocolError("a node sent other frames than replies on a connection for calls")
        }
    }

    func readBatchEnded() {}

    func ended(_ error: ConnectError) {
        let error = end ?? ConnectError(error.code, error.message, system: node.name)
        end = error
        connection = nil
        for continuation in waiting.values { continuation.resume(throwing: error) }
        waiting = [:]
    }
}
