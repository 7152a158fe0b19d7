import ScanCluster
import Testing

@Suite struct TimeoutStateTests {
    typealias State = TimeoutState<Int, String>

    @Test(
        "the first outcome reaches the waiter, later ones are dropped",
        arguments: [
            TimeoutOutcome.result(1), .expired, .cancelled,
        ])
    func first(outcome: TimeoutOutcome<Int>) {
        var state = State()
        #expect(state.wait("waiter") == nil)
        let settled = state.settle(outcome)
        #expect(settled?.0 == "waiter")
        #expect(settled?.1 == outcome)
        #expect(state.settle(.result(2)) == nil)
        #expect(state.settle(.expired) == nil)
        #expect(state.settle(.cancelled) == nil)
    }

    @Test("an outcome that comes before the waiter is kept for it, and only the first")
    func early() {
        var state = State()
        #expect(state.settle(.result(1)) == nil)
        #expect(state.settle(.cancelled) == nil)
        let settled = state.wait("waiter")
        #expect(settled?.0 == "waiter")
        #expect(settled?.1 == .result(1))
        #expect(state.settle(.expired) == nil)
    }
}
