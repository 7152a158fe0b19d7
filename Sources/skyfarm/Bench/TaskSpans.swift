import ScanCluster
import SkyImage
import SkyScan

/// Adds up the time in which the steps of a scan have tasks under way, from the first start to the last end of each, and
/// the pixels of their sectors. The rest of the time is the coordinator's alone.
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

    /// Takes an event in; from any thread.
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

    /// Pixels of the sectors of a step.
    func pixels(_ step: ScanStep) -> Int { state.withLock { $0.pixels[step] ?? 0 } }

    /// Seconds so far.
    var seconds: Double {
        state.withLock { state in
            state.close()
            return state.total / .seconds(1)
        }
    }
}
