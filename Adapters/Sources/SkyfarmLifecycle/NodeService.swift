public import ScanFarm
public import ServiceLifecycle

/// A node as a service of a `ServiceGroup`, which handles the signals: when the group shuts down gracefully, or is cancelled,
/// the node finishes its tasks and ends.
///
/// ```swift
/// let group = ServiceGroup(
///     services: [NodeService(node)], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "node"))
/// try await group.run()
/// ```
public struct NodeService: Service {
    private let node: ScanNode
    private let onReady: @Sendable (String) -> Void

    /// A service that runs `node`, which was not started before.
    /// - Parameters:
    ///   - node: the node.
    ///   - onReady: called with the address at which it serves.
    public init(_ node: ScanNode, onReady: @escaping @Sendable (String) -> Void = { _ in }) {
        self.node = node
        self.onReady = onReady
    }

    /// Runs the node until the service is shut down, without handling signals.
    /// - Throws: the errors of `ScanNode.start()`.
    public func run() async throws {
        try await cancelWhenGracefulShutdown { [node, onReady] in
            try await node.run(drainingOn: []) { onReady("\($0)") }
        }
    }
}
