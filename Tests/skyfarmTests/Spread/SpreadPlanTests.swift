import Testing

import ImageJobs

@Suite("which node gets which file") struct SpreadPlanTests {
    private func node(_ name: String, slots: Int = 1, room: Int = 1 << 40, has: Set<Int> = []) -> SpreadPlan.Node {
        SpreadPlan.Node(name: name, slots: slots, room: room, has: has)
    }

    private func sent(_ sizes: [Int], _ nodes: [SpreadPlan.Node], copies: Int = 1) -> [[Int]] {
        SpreadPlan(sizes: sizes, nodes: nodes, copies: copies).copies.map(\.sent)
    }

    @Test("files of one size go to the nodes in turn, and to faster ones more often")
    func balance() {
        let equal = sent(Array(repeating: 100, count: 6), ["a", "b", "c"].map { node($0) })
        #expect(equal == [[0], [1], [2], [0], [1], [2]])
        let uneven = sent(Array(repeating: 100, count: 8), [node("a"), node("b", slots: 3)])
        #expect(uneven.count { $0 == [1] } == 6)
        #expect(sent([500, 100, 100, 100, 100, 100], [node("a"), node("b")]) == [[0], [1], [1], [1], [1], [1]])
    }

    @Test("each copy of a file is on another node")
    func copies() {
        let plan = SpreadPlan(sizes: [10, 10, 10], nodes: ["a", "b", "c"].map { node($0) }, copies: 2)
        #expect(plan.copies.allSatisfy { Set($0.nodes).count == 2 && $0.missing == 0 })
        #expect((0..<3).allSatisfy { index in plan.copies.count { $0.nodes.contains(index) } == 2 })
    }

    @Test("what a node has is not sent, and counts; the same plan follows from the same state")
    func present() {
        let nodes = [node("a"), node("b", has: [0, 1])]
        let plan = SpreadPlan(sizes: [10, 10, 10], nodes: nodes, copies: 1)
        #expect(plan.copies.map(\.present) == [[1], [1], []] && plan.copies.map(\.sent) == [[], [], [0]])
        #expect(plan == SpreadPlan(sizes: [10, 10, 10], nodes: nodes, copies: 1))
        let all = SpreadPlan(sizes: [10], nodes: [node("a", has: [0]), node("b", has: [0])], copies: 1)
        #expect(all.copies[0].present == [0, 1] && all.copies[0].sent.isEmpty)
    }

    @Test("a node without room gets nothing; a copy for which none has room is missing")
    func room() {
        let unit = StoreLedger.unit
        let plan = SpreadPlan(
            sizes: [unit, unit, unit], nodes: [node("a", room: unit), node("b", room: unit)], copies: 1)
        #expect(plan.copies.map(\.sent) == [[0], [1], []] && plan.copies.map(\.missing) == [0, 0, 1])
        #expect(SpreadPlan(sizes: [1], nodes: [], copies: 2).copies[0].missing == 2)
    }

    @Test(
        "a store keeps a file under its absolute path, without hidden folders and what is above them",
        arguments: [
            ("/home/me/night/a.fits", "home/me/night/a.fits"), ("/home/me/.cache/night/a.fits", "night/a.fits"),
            ("/a.fits", "a.fits"), ("/x/.y/.z/a.fits", "a.fits"),
        ])
    func kept(path: String, expected: String) { #expect(SpreadSource.kept(path) == expected) }
}
