import ScanCluster
import Testing

@Suite struct ChannelStateTests {
    typealias State = TaskResponses<Square>.State<Int, String, String>

    private func element(_ delivery: State.Delivery?) -> Int? {
        if case .element(let element, _)? = delivery { element } else { nil }
    }

    @Test("elements come out in order, then the end, again and again")
    func order() {
        var state = State(capacity: 2)
        #expect(state.send(1) == nil)
        #expect(state.send(2) == nil)
        #expect(state.finish() == nil)
        #expect(element(state.receive("r")) == 1)
        #expect(element(state.receive("r")) == 2)
        for _ in 0..<2 {
            guard case .end? = state.receive("r") else {
                Issue.record("no end")
                return
            }
        }
    }

    @Test("a receiver that waits is resumed by an element or by the end")
    func waiting() {
        var state = State(capacity: 1)
        #expect(state.receive("r") == nil)
        #expect(state.send(1) == "r")
        #expect(state.receive("s") == nil)
        #expect(state.finish() == "s")
    }

    @Test("a sender waits when the channel is full and goes on when half of it is free")
    func full() {
        var state = State(capacity: 4)
        for element in 1...3 { _ = state.send(element) }
        #expect(!state.isFull)
        #expect(state.wait(sender: "s") == false)
        _ = state.send(4)
        #expect(state.isFull)
        #expect(state.wait(sender: "s") == true)
        var resumed: [String?] = []
        while case .element(_, let sender)? = state.receive("r") { resumed.append(sender) }
        #expect(resumed == [nil, "s", nil, nil])
    }

    @Test("an abandoned channel drops everything and holds no sender")
    func abandoned() {
        var state = State(capacity: 1)
        _ = state.send(1)
        #expect(state.wait(sender: "s") == true)
        #expect(state.abandon() == "s")
        #expect(state.send(2) == nil)
        #expect(state.wait(sender: "s") == false)
        #expect(state.count == 0)
    }
}
