import ScanNetwork
import Testing

import NodeDaemon

@Suite struct LiveNodeTests {
    @Test("the log keeps the newest lines, and knows how many came before")
    func log() {
        let live = LiveNode(name: "node", slots: 1)
        for number in 0..<LiveNode.lineLimit + 5 {
            live.note(.connected(NodeServer.Peer(address: "\(number)", name: "c")))
        }
        let state = live.read()
        #expect(state.log.count == LiveNode.lineLimit && state.dropped == 5)
        #expect(state.log.first?.text == "c connected from 5" && state.log.first?.kind == "joined")
    }

    @Test("a node that leaves, or lately could take no connection, takes no task")
    func problem() {
        let live = LiveNode(name: "node", slots: 1)
        #expect(live.read().problem(at: 0) == nil)
        live.note(.troubled(reason: "too many open files"))
        let now = live.elapsed
        #expect(live.read().problem(at: now) == "the node cannot accept connections now")
        #expect(live.read().problem(at: now + LiveNode.troubleSeconds) == nil)
        live.drain()
        #expect(live.read().problem(at: now + 99) == "the node is draining: it accepts no new tasks")
    }
}
