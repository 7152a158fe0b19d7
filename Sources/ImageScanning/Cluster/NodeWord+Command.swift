package import CommandLineKit
import Console
package import ScanCluster
package import ScanNetwork

extension NodeWord {
    /// Returns the one node that the word selects.
    /// - Parameters:
    ///   - nodes: each node that answers, once.
    ///   - name: returns the name of a node.
    ///   - label: returns the name of a node with what distinguishes it from others of that name, for an error.
    ///   - troubles: a line about each node that does not answer, for an error.
    /// - Returns: The node.
    /// - Throws: `CommandError` if the word selects none or could mean several.
    package func node<Node>(
        among nodes: [Node], name: (Node) -> String, label: (Node) -> String, troubles: [String] = []
    ) throws(CommandError) -> Node {
        switch choice(among: nodes, name: name) {
        case .chosen(let chosen) where chosen.count == 1: return chosen[0]
        case .none:
            throw CommandError(
                .noUsableNode,
                "no node \(text) answers; `skyfarm nodes` lists the names"
                    + (troubles.isEmpty ? "" : " (\(troubles.joined(separator: "; ")))"))
        case .chosen(let nodes), .ambiguous(let nodes):
            throw CommandError(.usage, ambiguity(nodes.map(label)))
        }
    }

    /// Returns the node that the word selects among nodes with connections for calls.
    /// - Throws: as the other method of this name.
    package func node(among nodes: [NodeCalls], troubles: [String] = []) throws(CommandError) -> NodeCalls {
        try node(
            among: nodes, name: \.node.name, label: { "\($0.node.name) (\($0.address))" }, troubles: troubles)
    }

    /// Whether one of the nodes has the word as its whole name, so that no other node can be meant.
    package func isName(of nodes: [NodeCalls]) -> Bool { nodes.contains { $0.node.name == text } }
}
