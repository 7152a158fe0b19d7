/// What a holder of the cluster key may order a node to do, in the greeting of a connection of its own.
public enum NodeOrder: String, Codable, Sendable {
    /// Run no tasks until ``resume``.
    case pause
    /// End the pause that ``pause`` began; one that the node's owner began, or its conditions, stays.
    case resume

    /// A node's answer to an order.
    package struct Answer: Codable, Equatable, Sendable {
        /// Why the node runs no tasks now; nil if it runs them.
        package var pause: String?

        package init(pause: String?) { self.pause = pause }
    }
}
