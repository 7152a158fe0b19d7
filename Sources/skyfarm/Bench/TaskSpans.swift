import ScanCluster
import SkyScan

/// Adds up the time in which the steps of a scan have tasks under way, from the first start to the last end of each.
/// The rest of the scan is the coordinator's alone.
final class TaskSpans: Sendable {
    private struct State {
        var total = Duration.zero
        var open: ClosedRange<ContinuousClock.Instant>?

        mutating func close() {
            if let open { total += open.upperBound - open.lowerBound }
            open = nil
        }
    }
    private let state = Locked(State())

    /// Takes an event in; from any thread.
    @Sendable func handle(_ event: SkyScanEvent) {
        let now = ContinuousClock.now
        state.withLock { state in
            switch event {
            case .began: state.close()
            case .resumed, .sectors, .found: break
            case .job: state.open = (state.open?.lowerBound ?? now)...now
            }
        }
    }

    /// Seconds so far.
    var seconds: Double {
        state.withLock { state in
            state.close()
            return state.total / .seconds(1)
        }
    }
}
