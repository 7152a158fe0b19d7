public import ScanBasics

/// Decides when a node announces itself: at once, and again after each failure.
package struct AdvertisementState {
    package enum Event: Hashable, Sendable {
        case start
        case registered(String)
        case ended(DiscoveryError)
        case tick
    }

    package enum Action: Hashable, Sendable {
        case register
        case tell(AdvertisementEvent)
    }

    private let retry: RetrySchedule
    private var failures = 0
    private var told: AdvertisementEvent?
    /// The time at which `tick` is due next.
    package private(set) var nextDeadline: Instant?

    package init(retry: RetrySchedule) { self.retry = retry }

    /// Handles an event at `now`. Returns the actions to perform, in order.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .start:
            return [.register]
        case .registered(let name):
            failures = 0
            return tell(.advertised(name: name))
        case .ended(let error):
            failures += 1
            // Retrying cannot help: an invalid record stays invalid.
            let isHopeless = error.code == .invalid
            nextDeadline = isHopeless ? nil : now.advanced(by: retry.pause(afterFailures: failures))
            return tell(.unavailable(error))
        case .tick:
            guard let deadline = nextDeadline, deadline <= now else { return [] }
            nextDeadline = nil
            return [.register]
        }
    }

    private mutating func tell(_ event: AdvertisementEvent) -> [Action] {
        if event == told { return [] }
        told = event
        return [.tell(event)]
    }
}

/// The state of a node's own announcement.
public enum AdvertisementEvent: Hashable, Sendable {
    /// The node is announced under this name.
    case advertised(name: String)
    /// The node cannot be announced, for this reason; the announcement is retried. Reported again when the reason
    /// changes.
    case unavailable(DiscoveryError)
}
