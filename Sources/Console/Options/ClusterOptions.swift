package import CommandLineKit
internal import Foundation
package import ScanCluster
import ScanNetwork

/// The systems that a command uses: the local one, the nodes given by address, and the discovered nodes.
package struct ClusterOptions: Equatable, Sendable {
    package var nodes: [SocketAddress]
    package var srv: [String]
    package var discovers: Bool
    package var allowsDifferent: Bool
    package var selection: NodeSelection
    /// Weight of this coordinator where several share a node.
    package var weight: Double
    package var waitSeconds: Double
    /// Number of local slots; nil for one per core.
    package var localSlots: Int?

    /// Number of tasks that run at a time on this machine.
    package var slotsHere: Int { localSlots ?? ProcessInfo.processInfo.activeProcessorCount }

    package init(_ arguments: Arguments) throws(UsageError) {
        nodes = try arguments[NodeOptions.nodes]
        srv = try arguments[NodeOptions.srv]
        discovers = try !arguments[NodeOptions.noDiscovery]
        allowsDifferent = try arguments[NodeOptions.allowDifferent]
        selection = NodeSelection(
            only: try arguments[NodeOptions.only], excluded: try arguments[NodeOptions.exclude])
        weight = try arguments[NodeOptions.weight]
        waitSeconds = try arguments[NodeOptions.wait]
        localSlots = try arguments[Self.localSlots]
    }

    package static let localSlots = Option.optional(
        "local-slots", .integer("N", 0...1024), fallback: "one per core", layers: .all,
        help: "Tasks to run at a time on this machine; 0 runs all tasks on nodes")

    package static let options = [
        NodeOptions.nodes.spec, NodeOptions.srv.spec, NodeOptions.noDiscovery.spec, NodeOptions.wait.spec,
        localSlots.spec, NodeOptions.only.spec, NodeOptions.exclude.spec, NodeOptions.weight.spec,
        NodeOptions.allowDifferent.spec,
    ]
}
