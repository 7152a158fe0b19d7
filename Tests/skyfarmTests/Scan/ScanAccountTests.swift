import ScanCluster
import SkyFITS
import SkyReport
import Testing

import ImageScanning

@Suite struct ScanAccountTests {
    /// A scan of one step with tasks of cost 1; each row is system, start, end, seconds of scanning.
    private func timeline(
        _ systems: [(String, Int)], _ attempts: [(String, Double, Double, Double)], end: Double
    ) -> ScanTimeline {
        var timeline = ScanTimeline()
        for (name, slots) in systems { timeline.join(name, slots: slots, at: 0) }
        timeline.begin(
            step: "extraction",
            waiting: attempts.indices.map { PixelRect(x: 0..<10, y: $0..<$0 + 1) }, resumed: [])
        var events: [(Double, Bool, Int)] = []
        for (index, attempt) in attempts.enumerated() {
            events += [(attempt.1, false, index), (attempt.2, true, index)]
        }
        for (time, isEnd, index) in events.sorted(by: { $0.0 < $1.0 }) {
            if isEnd {
                timeline.finish(task: index, number: 1, seconds: attempts[index].3, at: time)
            } else {
                timeline.start(task: index, number: 1, on: attempts[index].0, cost: 1, at: time)
            }
        }
        timeline.finish(at: end)
        return timeline
    }

    private func account(_ timeline: ScanTimeline, readingSeconds: Double = 0) -> ScanAccount {
        // Each system has a kernel, and so a machine, of its own.
        let processors = timeline.systems.map { ($0.name, ProcessorShare(kernel: $0.name)) }
        return ScanAccount(
            timeline, readingSeconds: readingSeconds, local: "local",
            processors: Dictionary(uniqueKeysWithValues: processors))
    }

    @Test("two systems that compute all the time are twice as fast as one, and computing is the limit")
    func compute() throws {
        let attempts = (0..<4).flatMap { round in
            ["local", "alpha"].map { ($0, Double(round), Double(round + 1), 1.0) }
        }
        let account = account(timeline([("local", 1), ("alpha", 1)], attempts, end: 4))
        #expect(account.speedUp == .init(factor: 2, over: "local"))
        #expect(account.bound == .init(by: .compute, share: 1))
        #expect(
            account.words
                == "2 times as fast as this machine alone, limited by CPU: slots busy 100 % of the time")
    }

    @Test("a node on the coordinator's machine, or one that does not tell where it runs, leaves the speed-up unknown")
    func sharedMachine() {
        let timeline = timeline([("local", 1), ("alpha", 1)], [("local", 0, 1, 1), ("alpha", 0, 1, 1)], end: 1)
        func speedUp(_ processors: [String: ProcessorShare]) -> SpeedUp? {
            ScanAccount(timeline, readingSeconds: 0, local: "local", processors: processors).speedUp
        }
        let here = ProcessorShare(kernel: "k", processors: [0b11])
        #expect(speedUp(["local": here, "alpha": here]) == nil)
        #expect(speedUp(["local": here]) == nil && speedUp(["alpha": here]) == nil && speedUp([:]) == nil)
        // On one machine, but each with processors of its own.
        #expect(speedUp(["local": here, "alpha": ProcessorShare(kernel: "k", processors: [0b100])])?.factor == 2)
    }

    @Test("a scan that the slots here did alone beside nodes says so, and what would let these help")
    func unusedNodes() {
        let alone = account(timeline([("local", 1), ("a", 1), ("b", 1)], [("local", 0, 1, 1)], end: 1))
        #expect(alone.unusedNodes == 2 && alone.speedUp == nil)
        #expect(
            alone.words?.hasPrefix(
                "on this machine alone, which was done before the 2 nodes could have the pixels (skyfarm node --data, "
                    + "fpack or a faster link would let nodes help)") == true)
        let together = timeline([("local", 1), ("a", 1)], [("local", 0, 1, 1), ("a", 0, 1, 1)], end: 1)
        #expect(account(together).unusedNodes == nil)
        #expect(account(timeline([("local", 1)], [("local", 0, 1, 1)], end: 1)).unusedNodes == nil)
        // Without slots here, a node that did nothing was not needed for another reason.
        #expect(account(timeline([("a", 1), ("b", 1)], [("a", 0, 1, 1)], end: 1)).unusedNodes == nil)
    }

    @Test("of a scan that an earlier run has done, nothing is said")
    func nobody() {
        let account = account(timeline([], [], end: 0.5), readingSeconds: 0.1)
        #expect(account.speedUp == nil && account.bound == nil && account.words == nil)
    }

    @Test("without this machine the node that did most is what is compared with")
    func withoutLocal() {
        let attempts = [("a", 0.0, 1.0, 1.0), ("b", 0, 0.5, 0.5), ("b", 0.5, 1, 0.5)]
        let account = account(timeline([("a", 1), ("b", 1)], attempts, end: 1))
        #expect(account.speedUp == .init(factor: 1.5, over: "b"))
    }

    @Test("of one system, or of one that did too little, no speed-up is claimed")
    func unknown() {
        let alone = account(timeline([("local", 1)], [("local", 0, 1, 1)], end: 1))
        #expect(alone.speedUp == nil && alone.bound?.by == .compute)
        let little = account(
            timeline([("local", 8), ("a", 1)], [("local", 0, 1, 1), ("a", 0, 1, 1)], end: 1))
        #expect(little.speedUp == nil)
        #expect(account(ScanTimeline()) == account(timeline([], [], end: 0)))
        #expect(account(ScanTimeline()).words == nil)
    }

    @Test("without a cause of half of the slots' time, no limit is claimed")
    func noBound() {
        // A slot of two scans; a third of the rest waits for pixels.
        let attempts = [("local", 0.0, 4.0, 3.2), ("local", 0, 3, 2.8)]
        let account = account(timeline([("local", 4)], attempts, end: 5))
        #expect(account.bound == nil && account.words == nil)
    }

    @Test(
        "processors limit a scan only if they scan nine tenths of the time", arguments: [(0.95, true), (0.85, false)])
    func leastScanning(seconds: Double, isLimit: Bool) {
        let account = account(timeline([("local", 1)], [("local", 0, 1, seconds)], end: 1))
        #expect(account.bound == (isLimit ? .init(by: .compute, share: seconds) : nil))
    }

    @Test("slots that wait for their pixels name the network, or the disk if that was read all the time")
    func waiting() {
        let attempts = (0..<4).map { ("alpha", Double($0), Double($0 + 1), 0.25) }
        let timeline = timeline([("alpha", 1)], attempts, end: 4)
        #expect(account(timeline).bound == .init(by: .network, share: 0.75))
        #expect(account(timeline, readingSeconds: 3).bound == .init(by: .disk, share: 0.75))
        let local = self.timeline([("local", 1)], attempts.map { ("local", $0.1, $0.2, $0.3) }, end: 4)
        #expect(account(local).bound?.by == .disk)
    }

    @Test("slots without a task name the tasks, and the coordinator if no system had one")
    func idle() {
        let one = timeline([("local", 4)], [("local", 0, 4, 4)], end: 4)
        #expect(account(one).bound == .init(by: .tasks, share: 0.75))
        let late = timeline([("local", 1)], [("local", 3, 4, 1)], end: 4)
        #expect(account(late).bound == .init(by: .coordinator, share: 0.75))
    }

    @Test("failed attempts are not attributed to the network; if they are most, nothing is claimed")
    func wasted() {
        #expect(bound(wasting: 0.5) == .init(by: .compute, share: 0.95))
        #expect(bound(wasting: 3) == nil)
        #expect(bound(wasting: 6) == nil)
    }

    /// Of a scan of ten seconds with one slot, which scans after an attempt of `seconds` that failed.
    private func bound(wasting seconds: Double) -> ScanAccount.Bound? {
        var timeline = ScanTimeline()
        timeline.join("alpha", slots: 1, at: 0)
        timeline.begin(step: "extraction", waiting: [PixelRect(x: 0..<1, y: 0..<1)], resumed: [])
        timeline.start(task: 0, number: 1, on: "alpha", cost: 1, at: 0)
        timeline.retry(task: 0, number: 1, on: "alpha", reason: "r", at: seconds)
        timeline.start(task: 0, number: 2, on: "alpha", cost: 1, at: seconds)
        timeline.finish(task: 0, number: 2, seconds: 10 - seconds, at: 10)
        timeline.finish(at: 10)
        return account(timeline).bound
    }
}
