/// The name of a file, or of several by a pattern, that lies on a node: `NODE:/PATH`.
public struct NodeImageName: Equatable, Sendable {
    /// The node's name.
    public let node: String
    /// The absolute path there, with what follows it.
    public let path: String

    /// Nil if `text` is not such a name: nodes' names have no slash, and paths on nodes begin with one.
    public init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
        (node, path) = (String(text[..<colon]), String(text[text.index(after: colon)...]))
        guard !node.contains("/"), path.hasPrefix("/"), !path.hasPrefix("//") else { return nil }
    }
}
