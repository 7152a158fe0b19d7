import Testing

import Console

@Suite struct JoinedNodesTests {
    @Test("one node, a few and many are one line, and are named once")
    func line() {
        var nodes = JoinedNodes()
        #expect(nodes.take() == nil)
        nodes.add("alpha", slots: 1, at: 0)
        #expect(nodes.take()?.plain == "node alpha joined, 1 slot")
        for name in ["a", "b", "c", "d"] { nodes.add(name, slots: 2, at: 0) }
        #expect(nodes.take()?.plain == "4 nodes joined, 8 slots: a, b, c and d")
        for number in 1...50 { nodes.add("n\(number)", slots: 4, at: 0) }
        #expect(nodes.take()?.plain == "50 nodes joined, 200 slots: n1, n2, n3 and 47 more")
        #expect(nodes.take() == nil)
    }

    @Test("the line waits while nodes join, but not for long")
    func waits() {
        var nodes = JoinedNodes()
        nodes.add("a", slots: 1, at: 5)
        #expect(nodes.wait(at: 5) > 0 && nodes.wait(at: 5.2) <= 0)
        nodes.add("b", slots: 1, at: 5.19)
        #expect(nodes.wait(at: 5.2) > 0)
        nodes.add("c", slots: 1, at: 5.99)
        #expect(nodes.wait(at: 6.01) <= 0)
        #expect(nodes.take()?.plain == "3 nodes joined, 3 slots: a, b and c" && nodes.wait(at: 7) == 0)
        nodes.add("d", slots: 1, at: 8)
        #expect(nodes.wait(at: 8.05) > 0)
    }

    @Test("the display shows nodes that join together in one line, before any later message")
    func display() {
        let screen = ProgressDisplayTests.Screen()
        let display = ProgressDisplay(style: .none, write: screen.write)
        for number in 1...50 { display.nodeJoined("n\(number)", slots: 1) }
        display.message(.warning, "node n7 left")
        display.nodeJoined("n7", slots: 1)
        display.finish()
        #expect(
            screen.text == """
                skyfarm: 50 nodes joined, 50 slots: n1, n2, n3 and 47 more
                skyfarm: node n7 left
                skyfarm: node n7 joined, 1 slot

                """)
    }
}
