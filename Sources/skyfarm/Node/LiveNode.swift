import ScanCluster
import ScanNetwork

/// What a node's page knows beside the server's own state: its log, and whether it leaves.
final class LiveNode: Sendable {
    let name: String
    let slots: Int
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private let state = Locked(State())

    struct State {
        /// The newest lines.
        var log: [Line] = []
        /// Lines before those.
        var forgotten = 0
        var isDraining = false
        var hasEnded = false
        /// When connections could not be taken last.
        var trouble: Double?
    }

    struct Line: Encodable, Equatable {
        var time: Double
        var kind: String
        var text: String
    }

    /// Most lines that are kept.
    static let lineLimit = 500
    /// Seconds for which trouble counts.
    static let troubleSeconds = 5.0

    init(name: String, slots: Int) {
        (self.name, self.slots) = (name, slots)
        start = clock.now
    }

    var elapsed: Double { ((clock.now - start) / .seconds(1) * 1000).rounded() / 1000 }

    /// Keeps an event for the log.
    func note(_ event: NodeServer.Event) {
        let time = elapsed
        let kind =
            switch event {
            case .connected: "joined"
            case .disconnected, .declined, .unreadable: "note"
            case .refused, .failed, .troubled: "failed"
            }
        state.withLock { state in
            if case .troubled = event { state.trouble = time }
            state.log.append(Line(time: time, kind: kind, text: "\(event)"))
            if state.log.count > Self.lineLimit {
                state.forgotten += state.log.count - Self.lineLimit
                state.log.removeFirst(state.log.count - Self.lineLimit)
            }
        }
    }

    /// The node takes no new tasks.
    func drain() { state.withLock { $0.isDraining = true } }

    /// The node has finished its tasks.
    func end() { state.withLock { $0.hasEnded = true } }

    func read() -> State { state.withLock { $0 } }
}

extension LiveNode.State {
    /// Why the node takes no task now.
    func obstacle(at time: Double) -> String? {
        if isDraining { return "the node is draining: it takes no new tasks" }
        guard let trouble, time - trouble < LiveNode.troubleSeconds else { return nil }
        return "the node cannot take connections now"
    }
}
