import ScanCluster
import Testing

import SkyScan

@Suite("counts of attempts")
struct AttemptCountsTests {
    @Test("failed attempts and second attempts at slow tasks are told apart, and first attempts count as neither")
    func counts() {
        let counts = AttemptCounts()
        let events: [TaskEvent] = [
            .taskStarted(index: 0, system: "a", attempt: 1, cost: 1),
            .taskRetried(index: 0, system: "a", attempt: 1, reason: "lost"),
            .taskStarted(index: 0, system: "b", attempt: 2, cost: 1),
            .taskStarted(index: 0, system: "c", attempt: 3, cost: 1),
            .taskHedged(index: 0, system: "c", attempt: 3, slow: "b", seconds: 9),
            .taskHedged(index: 1, system: "c", attempt: 2, slow: "b", seconds: 9),
            .taskFinished(index: 0, system: "c", attempt: 3, cost: 1, seconds: 1),
        ]
        for event in events { counts.count(event) }
        #expect(counts.retries == 1 && counts.hedges == 2)
    }
}
