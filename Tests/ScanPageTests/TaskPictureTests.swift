import ScanCluster
import Testing

@testable import ScanPage

@Suite("What a live page knows of tasks") struct TaskPictureTests {
    private static let type = "test.double/1"

    @Test("counts the tasks of each type, and the attempts that run")
    func counts() {
        var picture = TaskPicture()
        let (first, second) = (picture.begin(Self.type), picture.begin("test.other/1"))
        for index in 0..<3 {
            picture.note(.taskStarted(index: index, system: "a", attempt: 1, cost: 1), of: first, at: 1)
        }
        picture.note(.taskStarted(index: 0, system: "a", attempt: 1, cost: 1), of: second, at: 1)
        #expect(picture.running(on: [:]) == [Self.type: 3, "test.other/1": 1])
        picture.note(.taskFinished(index: 0, system: "a", attempt: 1, cost: 1, seconds: 2), of: first, at: 2)
        picture.note(
            .taskRetried(index: 1, system: "a", attempt: 1, reason: "gone", log: ["a: line"]), of: first, at: 3)
        #expect(picture.running(on: [:]) == [Self.type: 1, "test.other/1": 1])
        picture.note(.taskStarted(index: 1, system: "b", attempt: 2, cost: 1), of: first, at: 3)
        picture.note(
            .taskFailed(index: 1, cost: 1, failure: TaskFailure(message: "bad", system: "b", attempt: 2)), of: first,
            at: 4)
        picture.noteRecorded(Self.type)
        #expect(picture.running(on: [:]) == [Self.type: 1, "test.other/1": 1])
        #expect(
            picture.types == [
                Self.type: .init(done: 1, failed: 1, retried: 1, recorded: 1, seconds: 2), "test.other/1": .init(),
            ])
        #expect(
            picture.failures == [
                .init(about: "test.double/1, attempt 1 at task 2 on a", text: "gone", log: ["a: line"]),
                .init(about: "test.double/1, task 2, given up", text: "bad (on b, attempt 2)", log: []),
            ])
    }

    /// A run of two tasks, of which the second has three items.
    private static let items = PageItems(slots: 1) { .init($0 == 0 ? ["a.txt"] : ["b.txt", "c.txt", "d.txt"]) }

    @Test("counts the items of tasks that have several, not the tasks")
    func items() {
        var picture = TaskPicture()
        let run = picture.begin(Self.type, Self.items)
        picture.plan(6, of: Self.type)
        for index in 0..<2 {
            picture.note(.taskStarted(index: index, system: "a", attempt: 1, cost: 1), of: run, at: 1)
        }
        #expect(picture.running(on: ["a": 2]) == [Self.type: 2])
        #expect(picture.itemLoads(on: ["a": 2]) == [.init(type: Self.type, system: "a", running: 2, scheduled: 2)])
        // The second task waits for the slot of the first.
        #expect(picture.itemLoads(on: ["a": 1]) == [.init(type: Self.type, system: "a", running: 1, scheduled: 3)])
        #expect(picture.waiting(running: 1) == 5)
        picture.note(.taskFinished(index: 1, system: "a", attempt: 1, cost: 3, seconds: 9), of: run, at: 2)
        #expect(picture.types[Self.type] == .init())
        for name in ["b.txt", "c.txt"] { picture.noteItem(name, of: Self.type, on: "a", .done(seconds: 2), at: 2) }
        picture.noteItem("d.txt", of: Self.type, on: "a", .triedAgain("exit code 1", lines: []), at: 2)
        picture.noteItem("d.txt", of: Self.type, on: "a", .failed("exit code 3", lines: ["bad"]), at: 3)
        picture.noteItem("e.txt", of: Self.type, on: nil, .recorded, at: 3)
        #expect(picture.types[Self.type] == .init(done: 2, failed: 1, retried: 1, recorded: 1, seconds: 4))
        #expect(picture.itemsDone == ["a": 2])
        #expect(picture.rate(at: 2.5) == 2 / 2.5)
        #expect(picture.waiting(running: 1) == 1)
        #expect(picture.failures.last == .init(about: "d.txt on a", text: "exit code 3", log: ["bad"]))
    }

    @Test("names the items of an attempt that failed, and counts those of a task that is given up once")
    func lostItems() {
        var picture = TaskPicture()
        let run = picture.begin(Self.type, Self.items)
        picture.plan(4, of: Self.type)
        for index in 0..<2 {
            picture.note(.taskStarted(index: index, system: "a", attempt: 1, cost: 1), of: run, at: 1)
            picture.note(.taskRetried(index: index, system: "a", attempt: 1, reason: "gone"), of: run, at: 1)
            picture.note(
                .taskFailed(index: index, cost: 1, failure: TaskFailure(message: "bad", system: "b", attempt: 2)),
                of: run, at: 2)
        }
        #expect(
            picture.failures.map(\.about) == [
                "attempt 1 at a.txt on a", "attempt 1 at b.txt and 2 further items on a",
                "b.txt and 2 further items, now one by one",
            ])
        #expect(picture.types[Self.type] == .init(retried: 3))
        #expect(picture.running(on: ["a": 1]).isEmpty)
    }

    @Test("a task that is over, or a run, has no attempt that runs")
    func ends() {
        var picture = TaskPicture()
        let run = picture.begin(Self.type)
        for attempt in 1...3 {
            picture.note(.taskStarted(index: 7, system: "a", attempt: attempt, cost: 1), of: run, at: 1)
        }
        picture.note(.taskStarted(index: 8, system: "a", attempt: 1, cost: 1), of: run, at: 1)
        picture.note(.taskFinished(index: 7, system: "a", attempt: 2, cost: 1, seconds: 0), of: run, at: 1)
        #expect(picture.running(on: [:]) == [Self.type: 1])
        picture.end(run)
        #expect(picture.running(on: [:]).isEmpty)
        // An event that comes late changes nothing.
        picture.note(.taskFinished(index: 8, system: "a", attempt: 1, cost: 1, seconds: 0), of: run, at: 1)
        #expect(picture.total(\.done) == 1)
    }

    @Test("what attempts that run report is shown until they end")
    func progress() {
        var picture = TaskPicture()
        let run = picture.begin(Self.type)
        for index in 0..<2 {
            picture.note(.taskStarted(index: index, system: "a", attempt: 1, cost: 1), of: run, at: 1)
        }
        for (index, fraction) in [(1, 0.25), (0, 0.5), (1, 0.75), (5, 0.1)] {
            picture.note(
                .taskProgressed(
                    index: index, system: "a", attempt: 1, fraction: fraction, message: "row\u{1b} \(index)"),
                of: run, at: 2)
        }
        #expect(picture.progress.map(\.fraction) == [0.5, 0.75])
        #expect(picture.progress.first?.about == "test.double/1, task 1 on a")
        #expect(picture.progress.first?.message.contains("\u{1b}") == false)
        picture.note(.taskFinished(index: 0, system: "a", attempt: 1, cost: 1, seconds: 0), of: run, at: 3)
        #expect(picture.progress.map(\.fraction) == [0.75])
        picture.note(.taskRetried(index: 1, system: "a", attempt: 1, reason: "gone"), of: run, at: 3)
        #expect(picture.progress.isEmpty)
    }

    @Test("the rate is that of the last ten seconds")
    func rate() {
        var picture = TaskPicture()
        #expect(picture.rate(at: 0) == 0)
        for second in 0..<30 {
            for _ in 0..<20 { picture.noteTask(Self.type, failure: nil, seconds: 0.1, at: Double(second) + 0.5) }
        }
        #expect(abs(picture.rate(at: 29.99) - 20) < 0.1)
        #expect(picture.rate(at: 35) < 20 && picture.rate(at: 35) > 5)
        #expect(picture.rate(at: 50) == 0)
    }

    @Test("keeps the newest failures and events, whatever their number, without control characters")
    func limits() {
        var picture = TaskPicture()
        for number in 0..<2000 { picture.noteTask(Self.type, failure: "\(number)\u{1b}[2J", seconds: 0, at: 1) }
        #expect(picture.failures.count == TaskPicture.failureLimit && picture.log.count == TaskPicture.lineLimit)
        #expect(picture.dropped == 2000 - TaskPicture.lineLimit)
        #expect(picture.failures.last?.text.contains("1999") == true)
        #expect(!picture.failures.contains { $0.text.contains("\u{1b}") })
    }
}
