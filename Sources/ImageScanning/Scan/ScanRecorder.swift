package import Foundation
import ScanCluster
package import SkyReport
package import SkyScan

extension Date {
    /// The time in ISO 8601, with milliseconds: a scan may take less than a second.
    var withMilliseconds: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}

/// Records the events of a scan for report and live page.
package final class ScanRecorder: Sendable {
    /// When the scan began.
    package let began = Date()
    /// Seconds from the start of the process to that of the scan.
    package let before = ProcessAge.seconds ?? 0
    /// The picture of the image, if a slot of this process has reduced its pixels.
    let preview = Locked<Preview?>(nil)
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private let state = Locked(LiveScan())

    package init() { start = clock.now }

    /// Seconds since the scan began.
    package var elapsed: Double { (clock.now - start) / .seconds(1) }

    package var timeline: ScanTimeline { state.withLock { $0.timeline } }

    /// Records an event; from any thread.
    package func handle(_ event: SkyScanEvent) {
        let time = elapsed
        switch event {
        case .began(.cleaning, _, _): begin(chore: "cleaning the catalogue")
        case .began: break
        case .resumed(_, _, let cost): state.withLock { $0.timeline.resume(cost: cost) }
        case .sectors(let step, let waiting, let resumed):
            state.withLock { $0.begin(step: step.rawValue, waiting: waiting, resumed: resumed, at: time) }
        case .found(_, let x, let y): state.withLock { $0.find(x: x, y: y) }
        case .job(_, let event): handle(event, at: time)
        }
    }

    private func handle(_ event: TaskEvent, at time: Double) {
        state.withLock { live in
            switch event {
            case .systemJoined(let name, let slots): live.timeline.join(name, slots: slots, at: time)
            case .systemLeft(let name): live.timeline.leave(name, at: time)
            case .taskStarted(let index, let system, let attempt, let cost):
                live.start(task: index, number: attempt, on: system, cost: cost, at: time)
            // Preceded by the event of its start.
            case .taskHedged, .taskRecalled, .taskProgressed, .taskLogged: break
            case .taskFinished(let index, _, let attempt, _, let seconds):
                live.timeline.finish(task: index, number: attempt, seconds: seconds, at: time)
            case .taskRetried(let index, let system, let attempt, let reason, _),
                .attemptLost(let index, let system, let attempt, let reason, _):
                live.timeline.retry(task: index, number: attempt, on: system, reason: reason, at: time)
            case .taskFailed(let index, _, let failure):
                live.timeline.fail(task: index, reason: failure.description, at: time)
            }
        }
    }

    /// Records a line that was shown to the user.
    package func note(_ line: String) {
        let time = elapsed
        state.withLock { $0.timeline.note(line, at: time) }
    }

    /// The tasks are done.
    package func finish() {
        let time = elapsed
        state.withLock { $0.timeline.finish(at: time) }
    }

    /// The coordinator begins work of its own; see ``LiveScan/begin(chore:)``.
    package func begin(chore words: String) { state.withLock { $0.begin(chore: words) } }

    /// The current state, and the seconds since the scan began.
    package func read() -> (LiveScan, Double) { (state.withLock { $0 }, elapsed) }

    /// Changes the state; `body` gets it with the seconds since the scan began.
    package func update(_ body: (inout LiveScan, Double) -> Void) {
        let time = elapsed
        state.withLock { body(&$0, time) }
    }
}
