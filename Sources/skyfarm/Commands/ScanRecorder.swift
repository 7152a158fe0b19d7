import ScanCluster
import SkyReport
import SkyScan

/// Keeps the course of a scan for its report.
final class ScanRecorder: Sendable {
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private let state = Locked(ScanTimeline())

    /// The scan begins now.
    init() { start = clock.now }

    /// Seconds since the scan began.
    var elapsed: Double { (clock.now - start) / .seconds(1) }

    /// What has happened so far.
    var timeline: ScanTimeline { state.withLock { $0 } }

    /// Takes an event in; from any thread.
    func handle(_ event: SkyScanEvent) {
        let time = elapsed
        switch event {
        case .began: break
        case .resumed(_, _, let cost): state.withLock { $0.resume(cost: cost) }
        case .sectors(let step, let waiting, let resumed):
            state.withLock { $0.begin(step: step.rawValue, waiting: waiting, resumed: resumed) }
        case .job(_, let event): handle(event, at: time)
        }
    }

    private func handle(_ event: JobEvent, at time: Double) {
        state.withLock { timeline in
            switch event {
            case .systemJoined(let name, let slots): timeline.join(name, slots: slots, at: time)
            case .systemLeft(let name): timeline.leave(name, at: time)
            case .taskStarted(let index, let system, let attempt, let cost):
                timeline.start(task: index, number: attempt, on: system, cost: cost, at: time)
            // Its start came just before, while another attempt was under way.
            case .taskHedged: break
            case .taskFinished(let index, _, let attempt, _, let seconds):
                timeline.finish(task: index, number: attempt, seconds: seconds, at: time)
            case .taskRetried(let index, let system, let attempt, let reason, _):
                timeline.retry(task: index, number: attempt, on: system, reason: reason, at: time)
            case .taskFailed(let index, _, let failure):
                timeline.fail(task: index, reason: failure.description, at: time)
            }
        }
    }

    /// Keeps a line that the user was told.
    func note(_ line: String) {
        let time = elapsed
        state.withLock { $0.note(line, at: time) }
    }

    /// The scan has ended.
    func finish() {
        let time = elapsed
        state.withLock { $0.finish(at: time) }
    }
}
