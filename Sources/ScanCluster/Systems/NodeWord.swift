internal import ScanBasics

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A word by which a user selects nodes: the whole name of a node, a beginning that only one node's name has, or a
/// pattern with `*`, `?` and `[…]`.
///
/// All options and arguments that name a node follow this one rule. A whole name takes precedence: `beta` selects the
/// node `beta` even if there is also a `beta-7c1e`.
public struct NodeWord: Hashable, Sendable {
    /// The word as the user wrote it.
    public let text: String

    /// The nodes that a word selects.
    package enum Choice<Node> {
        case none
        /// One node, or those that match a pattern.
        case chosen([Node])
        /// The word is the name of several nodes, or their names begin with it.
        case ambiguous([Node])

        /// Whether the word selects no node.
        package var isNone: Bool { if case .none = self { true } else { false } }
    }

    /// Creates a word without checking it.
    public init(_ text: String) { self.text = text }

    /// Whether the word is a pattern, which may select several nodes.
    package var isPattern: Bool { ShellPattern.isPattern(text) }

    /// Returns the nodes that the word selects. Each node must be in `nodes` once, with the name that `name` returns.
    package func choice<Node>(among nodes: [Node], name: (Node) -> String) -> Choice<Node> {
        if isPattern {
            let matching = nodes.filter { fnmatch(text, name($0), 0) == 0 }
            return matching.isEmpty ? .none : .chosen(matching)
        }
        let whole = nodes.filter { name($0) == text }
        let found = whole.isEmpty && !text.isEmpty ? nodes.filter { name($0).hasPrefix(text) } : whole
        return found.isEmpty ? .none : found.count == 1 ? .chosen(found) : .ambiguous(found)
    }

    /// Describes an ambiguous word and how to give one that is not, in one clause. `candidates` are the names of the nodes
    /// that may be meant, with their addresses if names are equal.
    package func ambiguity(_ candidates: [String]) -> String {
        let all = candidates.sorted()
        let list =
            all.count > 1 ? all.dropLast().joined(separator: ", ") + " or \(all[all.count - 1])" : all.first ?? ""
        return "\(text) could be \(list); give more of the name"
    }

    /// Returns the name of a system without the address that distinguishes it from another one of the same name.
    package static func plainName(of system: String) -> String {
        guard system.hasSuffix(")"), let start = system.lastIndex(of: "("), start > system.startIndex else {
            return system
        }
        let space = system.index(before: start)
        return system[space] == " " ? String(system[..<space]) : system
    }
}
