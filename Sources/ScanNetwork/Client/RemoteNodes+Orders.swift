public import ScanCluster
public import ScanSecurity

extension RemoteNodes {
    /// The outcome of an order.
    public struct OrderOutcome: Equatable, Sendable {
        /// The node's name.
        public var name: String
        /// Why it runs no tasks now; nil if it runs them.
        public var pause: String?
    }

    /// Orders a node to pause or to resume, over a connection of its own.
    /// - Parameters:
    ///   - order: what to do.
    ///   - addresses: addresses of the node, tried in this order.
    ///   - keys: the cluster keys of which the node must hold one.
    ///   - options: how to connect.
    ///   - loop: the I/O thread.
    /// - Returns: the node's answer.
    /// - Throws: `ConnectError` if no address leads to a node, or the node takes no orders.
    public static func order(
        _ order: NodeOrder, at addresses: [SocketAddress], keys: KeyRing, options: Options = Options(),
        loop: EventLoop = .shared
    ) async throws -> OrderOutcome {
        var info = CoordinatorInfo(name: options.name, frameLimit: options.frameLimit)
        info.order = order
        let target = Dialer.Target(addresses)
        return try await withCheckedThrowingContinuation { continuation in
            loop.execute { [info] in
                let dialer = Dialer(
                    loop: loop, target: target, keys: keys.keys(at: .now), info: info, timing: options.timing
                ) { result in
                    continuation.resume(
                        with: result.flatMap { node, connection in
                            // Not from inside the connection's own call.
                            loop.execute {
                                connection.end(
                                    ConnectError(.lost, "was disconnected by this program"), politely: true)
                            }
                            guard let answer = node.answer else {
                                return .failure(
                                    ConnectError(
                                        .incompatible, "runs skyfarm \(node.software), which takes no orders",
                                        system: node.name))
                            }
                            return .success(OrderOutcome(name: node.name, pause: answer.pause))
                        })
                }
                dialer.start()
            }
        }
    }
}
