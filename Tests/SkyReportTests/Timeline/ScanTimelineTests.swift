import SkyFITS
import SkyReport
import Testing

@Suite struct ScanTimelineTests {
    static let bands = (0..<4).map { PixelRect(x: 0..<100, y: $0 * 10..<($0 + 1) * 10) }

    /// Two systems with four bands to scan; both have begun one.
    var begun: ScanTimeline {
        var timeline = ScanTimeline()
        timeline.begin(step: "extraction", waiting: Self.bands, resumed: [])
        timeline.join("local", slots: 2, at: 0)
        timeline.join("node", slots: 1, at: 0.5)
        timeline.start(task: 0, number: 1, on: "local", cost: 1000, at: 1)
        timeline.start(task: 1, number: 1, on: "node", cost: 1000, at: 1)
        return timeline
    }

    @Test("an attempt has its system, its times and its pixels")
    func done() {
        var timeline = begun
        timeline.finish(task: 1, number: 1, seconds: 1.5, at: 3)
        let attempt = timeline.attempts[1]
        #expect(timeline.systems[attempt.system].name == "node")
        #expect(attempt.sector == Self.bands[1] && attempt.step == "extraction")
        #expect(attempt.start == 1 && attempt.end == 3 && attempt.seconds == 1.5 && attempt.outcome == .done)
        #expect(timeline.attempts[0].outcome == .running && timeline.attempts[0].end == nil)
    }

    @Test("a scan lasts no longer than its attempt, whatever a node says", arguments: [99, .infinity, -1, .nan])
    func liar(seconds: Double) throws {
        var timeline = begun
        timeline.finish(task: 1, number: 1, seconds: seconds, at: 3)
        let measured = try #require(timeline.attempts[1].seconds)
        #expect((0...2).contains(measured))
    }

    @Test("the first response ends the other attempts at its task")
    func hedge() {
        var timeline = begun
        timeline.start(task: 1, number: 2, on: "local", cost: 1000, at: 5)
        #expect(timeline.attempts.map(\.isHedge) == [false, false, true])
        timeline.finish(task: 1, number: 2, seconds: 1, at: 6)
        #expect(timeline.attempts.map(\.outcome) == [.running, .superseded, .done])
        // The response of the other attempt, too late.
        timeline.finish(task: 1, number: 1, seconds: 5, at: 7)
        #expect(timeline.attempts[1].outcome == .superseded && timeline.attempts[1].end == 6)
    }

    @Test("a system that leaves in order returns its task: no failure")
    func returned() {
        var timeline = begun
        timeline.start(task: 1, number: 1, on: "local", cost: 1000, at: 4)
        #expect(timeline.attempts.map(\.outcome) == [.running, .returned, .running])
        #expect(!timeline.attempts[2].isHedge)
    }

    @Test("tasks of a lost system are lost, whichever event comes first")
    func lost() {
        var first = begun
        first.retry(task: 1, number: 1, on: "node", reason: "connection lost", at: 4)
        #expect(first.attempts[1].outcome == .retried)
        first.leave("node", at: 4.1)
        #expect(first.attempts[1].outcome == .lost && first.attempts[1].reason == "connection lost")

        var second = begun
        second.leave("node", at: 4)
        second.retry(task: 1, number: 1, on: "node", reason: "connection lost", at: 4.1)
        #expect(second.attempts[1].outcome == .lost)
        #expect(second.moments.map(\.kind) == [.joined, .joined, .left, .retried])
    }

    @Test("a failure long before its system left is a failure")
    func failedBefore() {
        var timeline = begun
        timeline.retry(task: 1, number: 1, on: "node", reason: "threw", at: 2)
        timeline.start(task: 2, number: 1, on: "node", cost: 1000, at: 2)
        timeline.finish(task: 2, number: 1, seconds: 1, at: 3)
        timeline.leave("node", at: 9)
        #expect(timeline.attempts[1].outcome == .retried)
    }

    @Test("a task that is given up has its reason")
    func failed() {
        var timeline = begun
        timeline.fail(task: 0, reason: "broken", at: 2)
        #expect(timeline.attempts[0].outcome == .failed && timeline.attempts[0].reason == "broken")
        #expect(timeline.moments.last?.text == "broken")
    }

    @Test("a step names its tasks anew, and systems that are there already are no news")
    func rounds() {
        var timeline = begun
        timeline.finish(task: 0, number: 1, seconds: 1, at: 2)
        timeline.finish(task: 1, number: 1, seconds: 1, at: 2)
        timeline.begin(step: "photometry", waiting: [Self.bands[3]], resumed: [])
        timeline.join("local", slots: 2, at: 2)
        timeline.start(task: 0, number: 1, on: "local", cost: 10, at: 2)
        #expect(timeline.attempts.last?.step == "photometry" && timeline.attempts.last?.sector == Self.bands[3])
        #expect(timeline.attempts.last?.isHedge == false)
        #expect(timeline.moments.count == 2)
    }

    @Test("how the last round stands: tasks under way, those that wait, and who is busy")
    func standing() {
        var timeline = begun
        #expect(timeline.round == .init(step: "extraction", open: 2, waiting: 2, busy: ["local", "node"]))
        // A hedge is no further task.
        timeline.start(task: 0, number: 2, on: "node", cost: 1000, at: 2)
        timeline.finish(task: 1, number: 1, seconds: 1, at: 2)
        timeline.retry(task: 0, number: 1, on: "local", reason: "threw", at: 2)
        #expect(timeline.round == .init(step: "extraction", open: 1, waiting: 2, busy: ["node"]))
        timeline.fail(task: 0, reason: "threw", at: 3)
        #expect(timeline.round == .init(step: "extraction", open: 0, waiting: 2, busy: []))
        timeline.begin(step: "photometry", waiting: [Self.bands[0]], resumed: [Self.bands[1]])
        #expect(timeline.round == .init(step: "photometry", open: 0, waiting: 1, busy: []))
        #expect(timeline.rounds.map(\.step) == ["extraction", "photometry"])
    }

    @Test("at the end no task is running")
    func end() {
        var timeline = begun
        timeline.finish(at: 10)
        #expect(timeline.end == 10)
        #expect(timeline.attempts.allSatisfy { $0.outcome == .superseded && $0.end == 10 })
    }

    @Test("the log keeps the newest lines only")
    func log() {
        var timeline = ScanTimeline()
        for number in 0..<ScanTimeline.momentLimit + 5 { timeline.note("\(number)", at: Double(number)) }
        #expect(timeline.moments.count == ScanTimeline.momentLimit && timeline.moments.first?.text == "5")
    }
}
