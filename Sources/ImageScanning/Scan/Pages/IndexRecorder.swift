import Foundation
import ScanCluster
import SkyReport
import SkyScan

/// Records the events of a job of many images for the index of its pages.
final class IndexRecorder: Sendable {
    /// When the job began.
    let began = Date()
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private let state: Locked<ImageIndex>

    /// A watch does not end: if `isEndless`, the number of images that are kept has a limit.
    init(isEndless: Bool = false) {
        start = clock.now
        state = Locked(ImageIndex(limit: isEndless ? ImageIndex.watchLimit : .max))
    }

    /// Seconds since the job began.
    var elapsed: Double { (clock.now - start) / .seconds(1) }

    /// The current state, and the seconds since the job began.
    func read() -> (ImageIndex, Double) { (state.withLock { $0 }, elapsed) }

    func update(_ body: (inout ImageIndex) -> Void) { state.withLock { body(&$0) } }

    /// Records the systems and the ends of tasks; from any thread.
    func handle(_ event: SkyScanEvent) {
        guard case .job(_, let event) = event else { return }
        let time = elapsed
        switch event {
        case .systemJoined(let name, let slots): update { $0.join(name, slots: slots) }
        case .taskFinished(_, let system, _, _, let seconds):
            update { $0.finishTask(on: system, seconds: seconds, at: time) }
        default: break
        }
    }
}
