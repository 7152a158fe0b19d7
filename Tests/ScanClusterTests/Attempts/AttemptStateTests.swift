import ScanBasics
import ScanCluster
import ScanTestSupport
import Testing

@Suite struct AttemptStateTests {
    private typealias Event = ScanSystem.AttemptState.Event
    private typealias Action = ScanSystem.AttemptState.Action

    private let missing = Event.replied(isPayloadMissing: true)
    private let answered = Event.replied(isPayloadMissing: false)

    private func actions(_ payloads: [Payload] = [], _ events: Event...) -> [Action] {
        var state = ScanSystem.AttemptState()
        return ([.begin(payloads: payloads)] + events).map { state.handle($0) }
    }

    @Test("a task without bulk bytes is sent and answered; what comes later is ignored")
    func plain() {
        #expect(
            actions([], .sent, answered, answered, .stopped(.timedOut), .stopped(.overtaken))
                == [.send(.held), .none, .finish, .none, .none, .none])
        #expect(actions([], .sent, missing) == [.send(.held), .none, .finish])
    }

    @Test("the next payload is sent if the system misses the last one; bytes are read for it")
    func dialogue() {
        let referred = Payload.packed(.none, isReferred: true)
        #expect(
            actions(
                [.held, referred, .plain], .sent, missing, .loaded(succeeded: true), .sent, missing,
                .loaded(succeeded: true), .sent, missing)
                == [
                    .send(.held), .none, .load(referred), .send(referred), .none, .load(.plain), .send(.plain), .none,
                    .finish,
                ])
        #expect(
            actions([.plain], .loaded(succeeded: true), .sent) == [.load(.plain), .send(.plain), .none])
        #expect(actions([.plain], .loaded(succeeded: false)) == [.load(.plain), .finish])
        // Also if the answer comes before the transport has taken the request.
        #expect(actions([.held, .plain], missing) == [.send(.held), .load(.plain)])
    }

    @Test("a reference is sent before anyone has read the bytes; they are read if it is refused")
    func identified() {
        #expect(
            actions([.reference, .plain], .sent, missing, .loaded(succeeded: true), .sent, answered)
                == [.send(.reference), .none, .load(.plain), .send(.plain), .none, .finish])
        // The system has dropped the bytes that it kept.
        #expect(actions([.held, .reference, .plain], .sent, missing) == [.send(.held), .none, .send(.reference)])
    }

    @Test("cancelled or expired with the system, the request is cancelled too")
    func abandoned() {
        #expect(
            actions([], .sent, .stopped(.overtaken), answered) == [.send(.held), .none, .abandon(.overtaken), .none])
        #expect(
            actions([], .sent, .stopped(.timedOut), .stopped(.cancelled))
                == [.send(.held), .none, .abandon(.timedOut), .none])
        #expect(actions([], .stopped(.overtaken), .sent) == [.send(.held), .end(.overtaken), .forget])
        var state = ScanSystem.AttemptState()
        #expect(
            [.stopped(.overtaken), .begin(payloads: [])].map { state.handle($0) } == [.end(.overtaken), .none])
    }

    @Test("cancelled while bytes are read, it ends when the reader has stopped")
    func stopped() {
        for succeeded in [true, false] {
            #expect(
                actions(
                    [.plain], .stopped(.cancelled), .stopped(.overtaken), .loaded(succeeded: succeeded),
                    .loaded(succeeded: succeeded))
                    == [.load(.plain), .stopLoading, .none, .end(.cancelled), .none])
        }
    }

    @Test("whatever happens, an attempt ends once and leaves no request behind", arguments: 0..<500 as Range<UInt64>)
    func sequences(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var state = ScanSystem.AttemptState()
        var (requests, ends, loads) = (0, 0, 0)
        for _ in 0..<30 {
            // Only what can happen: an answer to a request that is out, bytes that are being read.
            var events: [Event] = [
                .begin(
                    payloads: [.held, .reference, .packed(.stored, isReferred: true), .plain].filter { _ in
                        Bool.random(using: &random)
                    }),
                .stopped(.overtaken),
            ]
            if requests > 0 {
                events += [.sent, .replied(isPayloadMissing: .random(using: &random)), .stopped(.timedOut)]
            }
            if loads > 0 { events.append(.loaded(succeeded: .random(using: &random))) }
            guard let event = events.randomElement(using: &random) else { return }
            if case .loaded = event { loads -= 1 }
            let action = state.handle(event)
            switch action {
            case .send: requests = 1
            case .load: (requests, loads) = (0, loads + 1)
            case .finish, .forget: requests = 0
            case .abandon, .none, .stopLoading, .end: break
            }
            switch action {
            case .finish, .end, .abandon: ends += 1
            default: break
            }
            if case .abandon = action { requests = 0 }
            #expect(ends <= 1 && loads <= 1)
            #expect((state.phase == .ended) == (ends == 1 && state.phase != .forgotten))
            if ends == 1 { #expect(loads == 0) }
            if state.phase == .ended { #expect(requests == 0) }
        }
    }
}
