internal import CommandLineKit
import ScanCluster
internal import Foundation

/// Which systems a command uses: the local one, the nodes that were named, and those that are discovered.
struct ClusterOptions: Equatable, Sendable {
    var nodes: [SocketAddress]
    var srv: [String]
    var discovers: Bool
    var allowsDifferent: Bool
    var waitSeconds: Double
    /// Nil: one per core.
    var localSlots: Int?

    /// Tasks to run at a time on this machine.
    var slotsHere: Int { localSlots ?? ProcessInfo.processInfo.activeProcessorCount }

    init(_ arguments: Arguments) throws(UsageError) {
        nodes = try arguments[NodeOptions.nodes]
        srv = try arguments[NodeOptions.srv]
        discovers = try !arguments[NodeOptions.noDiscovery]
        allowsDifferent = try arguments[NodeOptions.allowDifferent]
        waitSeconds = try arguments[NodeOptions.wait]
        localSlots = try arguments[Self.localSlots]
    }

    private static let localSlots = Option.optional(
        "local-slots", .integer("N", 0...1024), fallback: "one per core", layers: .all,
        help: "Tasks to run at a time on this machine; 0 runs all tasks on nodes")

    static let options = [
        NodeOptions.nodes.spec, NodeOptions.srv.spec, NodeOptions.noDiscovery.spec, NodeOptions.wait.spec,
        localSlots.spec, NodeOptions.allowDifferent.spec,
    ]
}
