import CommandLineKit

/// Decides which node gets a copy of which file. Pure: the same files, nodes and existing copies give the same plan.
///
/// Existing copies count. Each file goes to the nodes that then have the fewest bytes per slot; among equals, to the
/// node whose name comes first.
package struct SpreadPlan: Equatable, Sendable {
    package struct Node: Equatable, Sendable {
        package var name: String
        package var slots: Int
        /// Free space of its store, in bytes.
        package var room: Int
        /// Positions of the files that it already has.
        package var has: Set<Int> = []

        package init(name: String, slots: Int, room: Int, has: Set<Int> = []) {
            self.name = name
            self.slots = slots
            self.room = room
            self.has = has
        }
    }

    /// Copies of one file; nodes are given by their positions.
    package struct Copies: Equatable, Sendable {
        package var present: [Int] = []
        package var sent: [Int] = []
        /// Number of copies for which no node has room.
        package var missing = 0

        /// All nodes that have the file in the end, in order of position.
        package var nodes: [Int] { (present + sent).sorted() }
    }

    package private(set) var copies: [Copies] = []

    /// Creates a plan for files of these sizes, with `count` copies of each.
    package init(sizes: [Int], nodes: [Node], copies count: Int) {
        var bytes = nodes.map { node in node.has.reduce(0) { $0 + (sizes.indices.contains($1) ? sizes[$1] : 0) } }
        var rooms = nodes.map(\.room)
        for (file, size) in sizes.enumerated() {
            var copies = Copies(present: nodes.indices.filter { nodes[$0].has.contains(file) })
            for _ in copies.present.count..<max(count, copies.present.count) {
                let charge = StoreLedger.charge(size)
                let candidates = nodes.indices.filter { !copies.nodes.contains($0) && rooms[$0] >= charge }
                func load(_ node: Int) -> Double { Double(bytes[node] + size) / Double(max(1, nodes[node].slots)) }
                let best = candidates.min { (load($0), nodes[$0].name) < (load($1), nodes[$1].name) }
                guard let best else {
                    copies.missing += 1
                    continue
                }
                copies.sent.append(best)
                bytes[best] += size
                rooms[best] -= charge
            }
            self.copies.append(copies)
        }
    }
}
