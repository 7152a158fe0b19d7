import ScanCluster
import Testing

/// Reports its steps, and returns their number.
private struct Talker: ScanTask {
    static let typeName = "test.talker/1"
    var id: Int

    func scan(_ context: ScanContext) -> Int {
        context.log("begins")
        for step in 0..<1000 { context.report(Double(step) / 1000, "step \(step)") }
        context.log("ends")
        return id
    }
}

@Suite("Reports of tasks", .timeLimit(.minutes(10)))
struct ReportQueueTests {
    @Test("of progress the last counts, of lines the first 32 and the number of the rest")
    func bounded() {
        var queue = ReportQueue()
        let isFirst = queue.add(.progress(0.1, "a"), of: 1)
        let isSecond = queue.add(.progress(0.2, "b"), of: 1)
        #expect(isFirst && !isSecond)
        for line in 0..<40 { _ = queue.add(.line("\(line)"), of: 2) }
        let reports = queue.take()
        #expect(reports.filter { $0.task == 1 }.map(\.report) == [.progress(0.2, "b")])
        let lines = reports.filter { $0.task == 2 }.map(\.report)
        #expect(lines.count == 33 && lines.first == .line("0") && lines.last == .line("8 further lines were dropped"))
        let more = queue.take()
        #expect(more.isEmpty)
        let isFirstAgain = queue.add(.line("x"), of: 3)
        #expect(isFirstAgain)
    }

    @Test("of one task are taken when it ends, and those of others stay")
    func ended() {
        var queue = ReportQueue()
        _ = queue.add(.line("a"), of: 1)
        _ = queue.add(.line("b"), of: 2)
        let (first, none) = (queue.take(of: 1), queue.take(of: 7))
        #expect(first == [.line("a")] && none.isEmpty)
        let isFirst = queue.add(.line("c"), of: 2)
        #expect(!isFirst)
        let rest = queue.take().map(\.report)
        #expect(rest == [.line("b"), .line("c")])
    }

    @Test("of more than 1024 tasks are dropped")
    func tasks() {
        var queue = ReportQueue()
        for task in 0..<3000 { _ = queue.add(.line("x"), of: UInt64(task)) }
        let count = queue.take().count
        #expect(count == ReportQueue.taskLimit)
    }

    @Test("are in one line and within their range, whatever a peer sends")
    func untrusted() {
        #expect(TaskReport(progress: .nan, "x") == nil)
        #expect(TaskReport(progress: 7, "a\u{1b}[2Jb\n") == .progress(1, "a\u{fffd}[2Jb\u{fffd}"))
        #expect(TaskReport(progress: -.infinity, "") == .progress(0, ""))
        guard case .line(let line, _) = TaskReport(line: String(repeating: "x", count: 10_000)) else { return }
        #expect(line.count == TaskReport.textLimit)
        #expect(TaskReport(kind: 9, fraction: 0, text: "") == nil)
    }

    @Test("of local tasks reach the observer before the end of the task, in their order")
    func local() async throws {
        let events = Locked<[Int: [TaskEvent]]>([:])
        let coordinator = ScanCoordinator(Systems(ScanSystem(slots: 2)))
        let responses = coordinator.responses(
            to: (0..<20).map { Talker(id: $0) },
            observer: { event in
                switch event {
                case .taskProgressed(let index, _, _, _, _), .taskLogged(let index, _, _, _):
                    events.withLock { $0[index, default: []].append(event) }
                default: break
                }
            })
        for try await response in responses {
            let seen = events.withLock { $0[response.index] ?? [] }
            var lines: [String] = []
            var last = -1.0
            for event in seen {
                switch event {
                case .taskLogged(_, let system, let attempt, let line):
                    #expect(system == "local" && attempt == 1)
                    lines.append(line)
                case .taskProgressed(_, _, _, let fraction, _):
                    #expect(fraction > last)
                    last = fraction
                default: break
                }
            }
            #expect(lines == ["begins", "ends"])
            #expect(last == 0.999)
        }
    }
}
