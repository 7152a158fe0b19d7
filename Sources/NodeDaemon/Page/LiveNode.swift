import Foundation
import ImageJobs
import ScanCluster
package import ScanNetwork

/// State that a node's page shows in addition to the server's: the log, and whether the node is draining.
package final class LiveNode: Sendable {
    package let name: String
    package let slots: Int
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    /// When the node began, in ISO 8601.
    let began = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    private let state = Locked(State())

    package struct State {
        /// Newest lines of the log.
        package var log: [Line] = []
        /// Newest failures of tasks.
        package var failures: [Line] = []
        /// Number of lines dropped before those in ``log``.
        package var dropped = 0
        var isDraining = false
        package var hasEnded = false
        /// Reason why the node is paused, or nil if it runs tasks.
        package var pause: String?
        /// Time when a connection last could not be accepted, in seconds since the start.
        package var trouble: Double?
    }

    package struct Line: Encodable, Equatable {
        package var time: Double
        package var kind: String
        package var text: String
    }

    /// Maximum number of lines in the log.
    package static let lineLimit = 500
    /// Time in seconds for which a failure to accept a connection is reported as a problem.
    package static let troubleSeconds = 5.0

    package init(name: String, slots: Int) {
        (self.name, self.slots) = (name, slots)
        start = clock.now
    }

    package var elapsed: Double { ((clock.now - start) / .seconds(1) * 1000).rounded() / 1000 }

    /// Adds an event to the log.
    package func note(_ event: NodeServer.Event) {
        let time = elapsed
        let kind =
            switch event {
            case .connected: "joined"
            case .disconnected, .declined, .unreadable, .paused, .freed, .resumed, .ordered: "note"
            case .refused, .failed, .troubled: "failed"
            }
        state.withLock { state in
            switch event {
            case .troubled: state.trouble = time
            case .paused(let reason, _): state.pause = reason
            case .resumed: state.pause = nil
            case .failed:
                state.failures = (state.failures + [Line(time: time, kind: kind, text: "\(event)")])
                    .suffix(NodeLoad.failureLimit)
            default: break
            }
            state.log.append(Line(time: time, kind: kind, text: "\(event)"))
            if state.log.count > Self.lineLimit {
                state.dropped += state.log.count - Self.lineLimit
                state.log.removeFirst(state.log.count - Self.lineLimit)
            }
        }
    }

    /// Marks that the node accepts no new tasks from now on.
    package func drain() { state.withLock { $0.isDraining = true } }

    /// Marks that the node has finished its tasks.
    package func end() { state.withLock { $0.hasEnded = true } }

    package func read() -> State { state.withLock { $0 } }
}

extension LiveNode.State {
    /// Returns the reason why the node accepts no tasks at this time, or nil if it does.
    package func problem(at time: Double) -> String? {
        if isDraining { return "the node is draining: it accepts no new tasks" }
        guard let trouble, time - trouble < LiveNode.troubleSeconds else { return nil }
        return "the node cannot accept connections now"
    }
}
