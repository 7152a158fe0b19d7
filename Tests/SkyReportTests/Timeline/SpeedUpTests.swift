import SkyFITS
import Testing

import SkyReport

@Suite struct SpeedUpTests {
    /// An attempt of a scan: step, system, start, seconds of execution until its end, cost.
    private typealias Row = (step: String, system: String, start: Double, seconds: Double, cost: Double)

    private func timeline(_ systems: [(String, Int)], _ rows: [Row], end: Double) -> ScanTimeline {
        var timeline = ScanTimeline()
        for (name, slots) in systems { timeline.join(name, slots: slots, at: 0) }
        for step in ["background", "extraction"] {
            let rows = rows.filter { $0.step == step }
            timeline.begin(step: step, waiting: rows.map { _ in PixelRect(x: 0..<1, y: 0..<1) }, resumed: [])
            let events = rows.enumerated().flatMap { index, row in
                [(row.start, false, index), (row.start + row.seconds, true, index)]
            }
            for (time, isEnd, index) in events.sorted(by: { $0.0 < $1.0 }) {
                if isEnd {
                    timeline.finish(task: index, number: 1, seconds: rows[index].seconds, at: time)
                } else {
                    timeline.start(task: index, number: 1, on: rows[index].system, cost: rows[index].cost, at: time)
                }
            }
        }
        timeline.finish(at: end)
        return timeline
    }

    private func speedUp(_ timeline: ScanTimeline, apart: Bool = true) -> SpeedUp? {
        SpeedUp(of: timeline, local: "local") { _, _ in apart }
    }

    /// Two systems of one slot, which take a second per cost, with a second before, between and after the steps.
    private var equal: ScanTimeline {
        timeline(
            [("local", 1), ("alpha", 1)],
            [
                ("background", "local", 1, 2, 2), ("background", "alpha", 1, 2, 2), ("extraction", "local", 4, 4, 4),
                ("extraction", "alpha", 4, 4, 4),
            ], end: 9)
    }

    @Test("it is the time of one system alone, the coordinator's own time included, divided by the scan's")
    func definition() {
        // Alone: 3 s of the coordinator and 12 s of tasks; together 9 s.
        #expect(speedUp(equal) == SpeedUp(factor: 1.67, over: "local"))
    }

    @Test("delays of the own tasks by the coordinator's other threads do not count: alone there is nothing to send")
    func delayed() {
        func factor(_ seconds: Double?) -> Double? {
            SpeedUp(of: equal, local: "local", processorSeconds: seconds) { _, _ in true }?.factor
        }
        // The local tasks took 6 s. Alone, in half the time: 3 s of the coordinator and 6 s of tasks.
        #expect(factor(3) == 1 && factor(6) == 1.67 && factor(7) == 1.67 && factor(nil) == 1.67)
    }

    @Test("reading counts where it takes time from the slots")
    func reading() {
        func factor(_ seconds: Double?) -> Double? {
            SpeedUp(of: equal, local: "local", processorSeconds: seconds, readingSeconds: 1.5) { _, _ in true }?.factor
        }
        // Alone: 3 s of the coordinator, 6 or 12 s of tasks, and 1.5 s of reading; together 9 s.
        #expect(factor(3) == 1.17 && factor(6) == 1.83)
    }

    @Test("it is silent where the system to compare with may have shared its processors")
    func shared() {
        #expect(speedUp(equal, apart: false) == nil)
        var asked: [String] = []
        let speedUp = SpeedUp(of: equal, local: "local") {
            asked += [$0, $1]; return true
        }
        #expect(speedUp != nil && asked == ["alpha", "local"])
    }

    @Test("two nodes that share processors do not matter to this machine's pace")
    func sharedElsewhere() {
        let rows: [Row] = [
            ("extraction", "local", 0, 4, 4), ("extraction", "a", 0, 4, 2), ("extraction", "b", 0, 4, 2),
        ]
        let timeline = timeline([("local", 1), ("a", 1), ("b", 1)], rows, end: 4)
        func areApart(_ one: String, _ other: String) -> Bool { one == "local" || other == "local" }
        #expect(SpeedUp(of: timeline, local: "local", areApart: areApart) == SpeedUp(factor: 2, over: "local"))
        // Of the two nodes alone, one would be compared with: how fast that is alone is unknown.
        let nodes = self.timeline([("a", 1), ("b", 1)], Array(rows[1...]), end: 4)
        #expect(SpeedUp(of: nodes, local: "local", areApart: areApart) == nil)
        #expect(speedUp(nodes) == SpeedUp(factor: 2, over: "a"))
    }

    @Test("it is never above the ratio of the slots of those that did tasks")
    func ratio() {
        // The node is four times as fast; the third system did nothing.
        let rows: [Row] = [("extraction", "local", 0, 4, 1), ("extraction", "alpha", 0, 4, 4)]
        let timeline = timeline([("local", 1), ("alpha", 1), ("idle", 8)], rows, end: 4)
        #expect(speedUp(timeline) == SpeedUp(factor: 2, over: "local"))
    }

    @Test("tasks of unequal cost are done one after the other by the slots of the one system")
    func rounds() {
        // Alone, two slots do costs 3, 1, 1, 1 in 3 s: one does the large task, the other the small ones.
        let rows: [Row] = [
            ("extraction", "local", 0, 3, 3), ("extraction", "local", 0, 1, 1), ("extraction", "alpha", 0, 1, 1),
            ("extraction", "alpha", 1, 1, 1),
        ]
        #expect(speedUp(timeline([("local", 2), ("alpha", 1)], rows, end: 3)) == SpeedUp(factor: 1, over: "local"))
    }

    @Test("a step in which it did no task counts at its pace relative to the others")
    func otherStep() {
        // In extraction alpha takes half as long as this machine; in background it does all, in 1 s per cost.
        let rows: [Row] = [
            ("background", "alpha", 0, 1, 1), ("extraction", "local", 1, 4, 2), ("extraction", "alpha", 1, 2, 2),
        ]
        // Mean pace of extraction 1.5 s, own pace 2 s: background at 4/3 s, extraction 8 s, in 5 s.
        #expect(speedUp(timeline([("local", 1), ("alpha", 9)], rows, end: 5)) == SpeedUp(factor: 1.87, over: "local"))
    }

    @Test("nothing is known of one system, of one with too few tasks, or before the end")
    func unknown() {
        #expect(speedUp(ScanTimeline()) == nil)
        #expect(speedUp(timeline([("local", 1)], [("extraction", "local", 0, 1, 1)], end: 1)) == nil)
        let rows: [Row] = [("extraction", "local", 0, 1, 1), ("extraction", "alpha", 0, 1, 1)]
        #expect(speedUp(timeline([("local", 2), ("alpha", 1)], rows, end: 1)) == nil)
    }
}
