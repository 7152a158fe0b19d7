/// Which nodes a process uses, by their names. Each entry is the text of a ``NodeWord``.
public struct NodeSelection: Equatable, Sendable {
    /// If not empty, only these are used.
    public var only: [String]
    /// These are not used.
    public var excluded: [String]
    /// How the names of nodes begin that this process has started: they are used whatever else is named.
    package var own: String?

    /// The reason why a node is not used.
    package struct Refusal: Equatable, Sendable {
        package var text: String
        /// Description of the ambiguity, if an option could mean this node or another one.
        package var ambiguity: String?
    }

    /// All nodes by default.
    public init(only: [String] = [], excluded: [String] = []) { (self.only, self.excluded) = (only, excluded) }

    /// Returns the reason why the node of this name is not used, or nil if it is. `known` are the names of the nodes
    /// known so far, by which the beginning of a name may be ambiguous.
    package func refusal(of name: String, among known: Set<String> = []) -> Refusal? {
        if isOwn(name) { return nil }
        let names = Array(known.union([name]))
        if let refusal = refusal(of: name, among: names, option: "--exclude", excluded, isExclusion: true) {
            return refusal
        }
        return only.isEmpty ? nil : refusal(of: name, among: names, option: "--only", only, isExclusion: false)
    }

    private func refusal(
        of name: String, among names: [String], option: String, _ words: [String], isExclusion: Bool
    ) -> Refusal? {
        var ambiguity: String?
        for word in words.map(NodeWord.init) {
            switch word.choice(among: names, name: { $0 }) {
            case .chosen(let chosen) where chosen.contains(name):
                return isExclusion ? Refusal(text: "is left out by \(option) \(word.text)") : nil
            case .ambiguous(let candidates) where candidates.contains(name):
                ambiguity = "\(option) \(word.ambiguity(candidates))"
            case .none, .chosen, .ambiguous: break
            }
        }
        if let ambiguity { return Refusal(text: "is left out: \(ambiguity)", ambiguity: ambiguity) }
        return isExclusion ? nil : Refusal(text: "is left out: \(option) names \(words.joined(separator: ", "))")
    }

    /// Whether this process has started the node of this name.
    package func isOwn(_ name: String) -> Bool { own.map(name.hasPrefix) ?? false }
}
