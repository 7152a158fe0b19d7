import ScanBasics
import ScanCluster
import ScanTestSupport
import Testing

@Suite struct AttemptStateTests {
    private typealias Event = AttemptState.Event
    private typealias Action = AttemptState.Action

    private func actions(
        bulk: Bool = false, reference: Bool = false, packed: Bool = false, _ events: Event...
    ) -> [Action] {
        var state = AttemptState(hasBulk: bulk, hasReference: reference, mayPack: packed)
        return events.map { state.handle($0) }
    }

    @Test("a task without bulk bytes is sent and answered; what comes later is ignored")
    func plain() {
        #expect(
            actions(
                .begin(holdsKey: false, packing: .stored), .sent, .replied(isBulkMissing: false),
                .replied(isBulkMissing: false),
                .stopped(.timedOut),
                .stopped(.overtaken)) == [.send(.light), .none, .finish, .none, .none, .none])
        #expect(
            actions(.begin(holdsKey: false, packing: .stored), .sent, .replied(isBulkMissing: true)) == [
                .send(.light), .none, .finish,
            ])
    }

    @Test("the bytes follow only if the system has neither them nor their file")
    func dialogue() {
        let missing = Event.replied(isBulkMissing: true)
        #expect(
            actions(
                bulk: true, reference: true, .begin(holdsKey: true, packing: .stored), .sent, missing,
                .loaded(succeeded: true), .sent,
                missing, .loaded(succeeded: true), .sent, missing)
                == [
                    .send(.light), .none, .load(.none), .send(.reference), .none, .load(.none),
                    .send(.bytes), .none, .finish,
                ])
        #expect(
            actions(bulk: true, .begin(holdsKey: false, packing: .stored), .loaded(succeeded: true), .sent)
                == [.load(.none), .send(.bytes), .none])
        #expect(
            actions(bulk: true, .begin(holdsKey: false, packing: .stored), .loaded(succeeded: false)) == [
                .load(.none), .finish,
            ])
    }

    @Test("packed bytes that the system cannot unpack are sent once more, as they are")
    func packed() {
        let missing = Event.replied(isBulkMissing: true)
        #expect(
            actions(
                bulk: true, packed: true, .begin(holdsKey: false, packing: .stored), .loaded(succeeded: true), .sent,
                missing, .loaded(succeeded: true), .sent, missing)
                == [
                    .load(.stored), .send(.bytes), .none, .load(.none), .send(.bytes), .none, .finish,
                ])
        // A reference is one to packed bytes.
        #expect(
            actions(
                bulk: true, reference: true, packed: true, .begin(holdsKey: false, packing: .stored),
                .loaded(succeeded: true), .sent, missing)
                == [.load(.stored), .send(.reference), .none, .load(.stored)])
        #expect(
            actions(bulk: true, packed: true, .begin(holdsKey: false, packing: .none)) == [.load(.none)])
    }

    @Test("bytes that the transport has compressed and the system cannot expand are sent once more, as they are")
    func compressed() {
        var state = AttemptState(hasBulk: true, hasReference: false)
        let missing = Event.replied(isBulkMissing: true)
        var mayCompress: [Bool] = []
        let actions = [
            .begin(holdsKey: false, packing: .none, compresses: true), .loaded(succeeded: true), .sent, missing,
            .loaded(succeeded: true), .sent, missing,
        ].map { (event: Event) in
            defer { mayCompress.append(state.mayCompress) }
            return state.handle(event)
        }
        #expect(
            actions == [.load(.none), .send(.bytes), .none, .load(.none), .send(.bytes), .none, .finish])
        #expect(mayCompress == [true, true, true, false, false, false, false])
    }

    @Test("a reference that identifies the bytes is sent before anyone has read them; they are read if it is refused")
    func identified() {
        #expect(
            actions(
                bulk: true, reference: true, .begin(holdsKey: false, packing: .none, reads: true), .sent,
                .replied(isBulkMissing: true), .loaded(succeeded: true), .sent, .replied(isBulkMissing: false))
                == [
                    .send(.reference), .none, .load(.none), .send(.bytes), .none, .finish,
                ])
        // The system has dropped the bytes that it kept.
        #expect(
            actions(
                bulk: true, reference: true, .begin(holdsKey: true, packing: .none, reads: true), .sent,
                .replied(isBulkMissing: true))
                == [.send(.light), .none, .send(.reference)])
    }

    @Test("cancelled or expired with the system, the request is cancelled too")
    func abandoned() {
        #expect(
            actions(
                .begin(holdsKey: false, packing: .stored), .sent, .stopped(.overtaken),
                .replied(isBulkMissing: false))
                == [.send(.light), .none, .abandon(.overtaken), .none])
        #expect(
            actions(.begin(holdsKey: false, packing: .stored), .sent, .stopped(.timedOut), .stopped(.cancelled))
                == [.send(.light), .none, .abandon(.timedOut), .none])
        #expect(
            actions(.begin(holdsKey: false, packing: .stored), .stopped(.overtaken), .sent)
                == [.send(.light), .end(.overtaken), .forget])
        #expect(
            actions(.stopped(.overtaken), .begin(holdsKey: false, packing: .stored)) == [
                .end(.overtaken), .none,
            ])
    }

    @Test("cancelled while bytes are read, it ends when the reader has stopped")
    func stopped() {
        for succeeded in [true, false] {
            #expect(
                actions(
                    bulk: true, .begin(holdsKey: false, packing: .stored), .stopped(.cancelled),
                    .stopped(.overtaken), .loaded(succeeded: succeeded), .loaded(succeeded: succeeded))
                    == [.load(.none), .stopLoading, .none, .end(.cancelled), .none])
        }
    }

    @Test("whatever happens, an attempt ends once and leaves no request behind", arguments: 0..<500 as Range<UInt64>)
    func sequences(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var state = AttemptState(
            hasBulk: .random(using: &random), hasReference: .random(using: &random),
            mayPack: .random(using: &random))
        var (requests, ends, loads) = (0, 0, 0)
        for _ in 0..<30 {
            // Only what can happen: an answer to a request that is out, bytes that are being read.
            var events: [Event] = [
                .begin(
                    holdsKey: .random(using: &random),
                    packing: BulkPacking.allCases.randomElement(using: &random) ?? .none,
                    reads: .random(using: &random)),
                .stopped(.overtaken),
            ]
            if requests > 0 {
                events += [.sent, .replied(isBulkMissing: .random(using: &random)), .stopped(.timedOut)]
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
