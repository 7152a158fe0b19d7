import ScanCluster
import Testing

@Suite struct ChannelStateTests {
    typealias State = ChannelState<Int, String, String, String>

    private func element(_ delivery: State.Delivery?) -> Int? {
        if case .element(let element, _)? = delivery { element } else { nil }
    }

    @Test("elements come out in order, then the end, again and again")
    func order() {
        var state = State(capacity: 2)
        #expect(state.send(1) == nil)
        #expect(state.send(2) == nil)
        #expect(state.finish("end") == nil)
        #expect(element(state.receive("r")) == 1)
        #expect(element(state.receive("r")) == 2)
        for _ in 0..<2 {
            guard case .end("end")? = state.receive("r") else {
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
        #expect(state.finish("end") == "s")
    }

    @Test("a sender waits while the channel is full and goes on when there is room")
    func full() {
        var state = State(capacity: 2)
        _ = state.send(1)
        #expect(!state.isFull)
        #expect(state.wait(sender: "s") == false)
        _ = state.send(2)
        #expect(state.isFull)
        #expect(state.wait(sender: "s") == true)
        guard case .element(1, resume: "s")? = state.receive("r") else {
            Issue.record("the sender was not resumed")
            return
        }
        guard case .element(2, resume: nil)? = state.receive("r") else {
            Issue.record("the sender was resumed twice")
            return
        }
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
