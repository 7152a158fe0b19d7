import ScanCluster
import Testing

@Suite("The words that select nodes") struct NodeWordTests {
    private func choice(_ word: String, _ names: [String]) -> (kind: String, names: [String]) {
        switch NodeWord(word).choice(among: names, name: { $0 }) {
        case .none: ("none", [])
        case .chosen(let names): ("chosen", names)
        case .ambiguous(let names): ("ambiguous", names)
        }
    }

    @Test(
        "a whole name, a beginning that only one name has, or a pattern",
        arguments: [
            ("beta", "chosen", ["beta"]), ("beta-", "chosen", ["beta-7c1e"]), ("g", "chosen", ["gamma"]),
            ("be", "ambiguous", ["beta", "beta-7c1e"]), ("eta", "none", []), ("", "none", []), ("Beta", "none", []),
            ("beta*", "chosen", ["beta", "beta-7c1e"]), ("*z*", "none", []), ("gamm[ab]", "chosen", ["gamma"]),
        ] as [(String, String, [String])])
    func rule(word: String, kind: String, names: [String]) {
        let choice = choice(word, ["alpha", "beta", "beta-7c1e", "gamma"])
        #expect(choice.kind == kind && choice.names == names)
    }

    @Test("a name that two nodes have selects neither")
    func twice() {
        #expect(choice("beta", ["beta", "beta"]) == ("ambiguous", ["beta", "beta"]))
        #expect(choice("be", ["beta", "beta"]) == ("ambiguous", ["beta", "beta"]))
    }

    @Test("an error lists all nodes that could be meant")
    func candidates() {
        let words = NodeWord("b").ambiguity(["c", "b2", "b1"])
        #expect(words == "b could be b1, b2 or c; give more of the name")
    }

    @Test(
        "the name of a system is that of its node without the address that distinguishes it",
        arguments: [
            ("beta", "beta"), ("beta (10.0.0.1:4870)", "beta"), ("beta ([fe80::1]:1)", "beta"), ("(x)", "(x)"),
            ("beta(x)", "beta(x)"),
        ])
    func plain(system: String, name: String) { #expect(NodeWord.plainName(of: system) == name) }
}
