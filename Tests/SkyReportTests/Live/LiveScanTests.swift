import Testing

import SkyReport

@Suite struct LiveScanTests {
    static let bands = ScanTimelineTests.bands

    /// Two systems with four bands to scan; both have begun one.
    static var begun: LiveScan {
        var live = LiveScan()
        live.begin(step: "extraction", waiting: bands, resumed: [], at: 0)
        live.timeline.join("local", slots: 2, at: 0)
        live.timeline.join("node", slots: 1, at: 0.5)
        live.start(task: 0, number: 1, on: "local", cost: 1000, at: 1)
        live.start(task: 1, number: 1, on: "node", cost: 1000, at: 1)
        return live
    }

    @Test("the line says what the scan waits for, from the first byte to the last")
    func now() {
        var live = LiveScan()
        #expect(live.now == "reading the image")
        live = Self.begun
        #expect(live.now == "2 tasks of extraction running, 2 waiting")
        live.timeline.finish(task: 0, number: 1, seconds: 1, at: 2)
        live.timeline.finish(task: 1, number: 1, seconds: 1, at: 2)
        #expect(live.now == "waiting for a slot: 2 tasks of extraction left")
        live.start(task: 2, number: 1, on: "node", cost: 1, at: 2)
        live.start(task: 3, number: 1, on: "local", cost: 1, at: 2)
        #expect(live.now == "waiting for the last 2 tasks of extraction, on local and node")
        live.timeline.retry(task: 2, number: 1, on: "node", reason: "broken", at: 3)
        live.timeline.leave("node", at: 3)
        live.timeline.finish(task: 3, number: 1, seconds: 1, at: 3)
        live.timeline.leave("local", at: 3)
        #expect(live.now == "waiting for a node: 1 task of extraction left")
        live.timeline.fail(task: 2, reason: "broken", at: 4)
        #expect(live.now == "the coordinator combines the results of extraction")
        live.begin(chore: "writing the catalogue")
        #expect(live.now == "writing the catalogue")
        live.end(.partial, "3 sources", at: 5)
        #expect(live.now == "3 sources" && live.timeline.end == 5)
        // The first ending counts.
        live.end(.failed, "stopped", at: 6)
        #expect(live.ending == .partial)
    }

    @Test("of many systems that are waited for three are named")
    func many() {
        var live = LiveScan()
        live.begin(step: "extraction", waiting: Self.bands, resumed: [], at: 0)
        for task in 0..<4 {
            live.timeline.join("n\(task)", slots: 1, at: 0)
            live.start(task: task, number: 1, on: "n\(task)", cost: 1, at: 0)
        }
        #expect(live.now == "waiting for the last 4 tasks of extraction, on n0, n1, n2 and 1 more")
    }

    @Test("nothing continues while tasks wait and no system is there, or none takes one for long")
    func problem() {
        var live = LiveScan()
        #expect(live.problem(at: 1000) == nil)
        live = Self.begun
        #expect(live.problem(at: 1000) == nil)
        live.timeline.finish(task: 0, number: 1, seconds: 1, at: 2)
        live.timeline.finish(task: 1, number: 1, seconds: 1, at: 2)
        #expect(live.problem(at: 10.9) == nil)
        #expect(live.problem(at: 11) == "tasks wait, and no system has started one for 10 s")
        live.timeline.leave("node", at: 11)
        live.timeline.leave("local", at: 11)
        #expect(live.problem(at: 11) == "no system can be reached: the scan waits for a node")
        live.begin(chore: "writing")
        #expect(live.problem(at: 12) == nil)
        live = Self.begun
        live.timeline.leave("node", at: 11)
        live.timeline.leave("local", at: 11)
        live.end(.failed, "stopped", at: 12)
        #expect(live.problem(at: 99) == nil)
    }

    @Test("places of sources are kept up to a limit, and all are counted")
    func places() {
        var live = LiveScan()
        live.find(x: [1, 2], y: [3, 4])
        #expect(live.places == [1, 3, 2, 4] && live.sourceCount == 2)
        let many = [Double](repeating: 0, count: LiveScan.sourceLimit)
        live.find(x: many, y: many)
        #expect(live.places.count == 2 * LiveScan.sourceLimit && live.sourceCount == many.count + 2)
        live.find(x: [1], y: [1])
        #expect(live.places.count == 2 * LiveScan.sourceLimit && live.sourceCount == many.count + 3)
    }
}
