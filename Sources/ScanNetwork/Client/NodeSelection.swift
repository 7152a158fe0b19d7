#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Which nodes a process uses, by their names. A name may be a pattern with `*`, `?` and `[…]`.
public struct NodeSelection: Equatable, Sendable {
    /// If not empty, only these are used.
    public var only: [String]
    /// These are not used.
    public var excluded: [String]
    /// How the names of nodes begin that this process has started: they are used whatever else is named.
    package var own: String?

    /// All nodes by default.
    public init(only: [String] = [], excluded: [String] = []) { (self.only, self.excluded) = (only, excluded) }

    /// Why the node of this name is not used; nil if it is.
    package func refusal(of name: String) -> String? {
        func matches(_ pattern: String) -> Bool { fnmatch(pattern, name, 0) == 0 }
        if isOwn(name) { return nil }
        if let pattern = excluded.first(where: matches) { return "is left out by --exclude \(pattern)" }
        return only.isEmpty || only.contains(where: matches)
            ? nil : "is left out: --only names \(only.joined(separator: ", "))"
    }

    /// Whether this process has started the node of this name.
    func isOwn(_ name: String) -> Bool { own.map(name.hasPrefix) ?? false }
}
