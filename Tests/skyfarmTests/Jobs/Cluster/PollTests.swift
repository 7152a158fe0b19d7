import ScanBasics
import Testing

import ImageJobs

@Suite(.timeLimit(.minutes(10))) struct PollTests {
    /// Answers "slow" only once it is opened.
    private struct Door: Sendable {
        private let opened: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init() { (opened, continuation) = AsyncStream.makeStream(of: Void.self) }

        func open() { continuation.yield() }

        @Sendable func ask(_ target: String) async -> String {
            if target == "slow" { for await _ in opened { break } }
            return "from " + target
        }
    }

    @Test("the usual time passes between the answers, which are read until the last one has arrived")
    func late() async {
        let door = Door()
        var course: [String] = []
        let replies = poll(["fast", "slow"], usual: .milliseconds(1), within: .seconds(60), ask: door.ask) {
            Issue.record("\($0) was late")
        }
        events: for await event in replies {
            switch event {
            case .isLate:
                course.append("late")
                door.open()
            case .answered(let target, let answer):
                course.append(answer)
                if target == "slow" { break events }
            }
        }
        #expect(course.last == "from slow" && Set(course) == ["from fast", "late", "from slow"], "\(course)")
    }

    @Test("an answer after the time limit is handed to who closes it")
    func tooLate() async {
        let door = Door()
        let (closed, close) = AsyncStream.makeStream(of: String.self)
        for await event in poll(["slow"], within: .milliseconds(1), ask: door.ask, late: { close.yield($0) }) {
            Issue.record("\(event) was not expected")
        }
        door.open()
        for await answer in closed {
            #expect(answer == "from slow")
            break
        }
    }
}
