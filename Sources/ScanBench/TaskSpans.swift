import ScanCluster
import SkyScan

/// Sums the durations of a scan's steps, each from the start of its first task to the end of its last, and the pixels
/// of their sectors. The remaining time is spent on the coordinator alone.
final class TaskSpans: Sendable {
    private struct State {
        var total = Duration.zero
        var open: ClosedRange<ContinuousClock.Instant>?
        var pixels: [ScanStep: Int] = [:]

        mutating func close() {
            if let open { total += open.upperBound - open.lowerBound }
            open = nil
        }
    }
    private let state = Locked(State())

    /// Records an event. May be called from any thread.
    @Sendable func handle(_ event: SkyScanEvent) {
        let now = ContinuousClock.now
        state.withLock { state in
            switch event {
            case .began: state.close()
            case .sectors(let step, let sectors, _):
                state.pixels[step, default: 0] += sectors.reduce(0) { $0 + $1.area }
            case .resumed, .found: break
            case .job: state.open = (state.open?.lowerBound ?? now)...now
            }
        }
    }

    /// Returns the number of pixels in the sectors of a step.
    func pixels(_ step: ScanStep) -> Int { state.withLock { $0.pixels[step] ?? 0 } }

    /// Total duration of the steps so far, in seconds.
    var seconds: Double {
        state.withLock { state in
            state.close()
            return state.total / .seconds(1)
        }
    }
}
