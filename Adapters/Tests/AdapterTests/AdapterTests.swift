import Logging
import Metrics
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity
import ServiceContextModule
import ServiceLifecycle
import SkyfarmLifecycle
import SkyfarmLogging
import SkyfarmMetrics
import SkyfarmTesting
import SkyfarmTracing
import Synchronization
import Testing

/// Throws for odd numbers.
private struct Half: ScanTask {
    struct Odd: Error {}
    static let typeName = "adapters.half/1"
    var id: Int

    func scan(_ context: ScanContext) throws -> Int {
        if id % 2 == 1 { throw Odd() }
        return id / 2
    }
}

@Suite("Adapters", .timeLimit(.minutes(5)))
struct AdapterTests {
    private let report: SimulatedReport<Half>

    init() throws { report = try SimulatedFarm(nodes: 2).run([Half(id: 2), Half(id: 3)]) }

    @Test("an event is logged with its values, at a level of its own")
    func logging() throws {
        let logger = Logger(label: "test")
        for event in report.events { event.log(to: logger) }
        let lines = logger.lines
        #expect(lines.count == report.events.count)
        let finished = try #require(lines.first { $0.message == "taskFinished" })
        #expect(finished.level == .debug && finished.metadata["attempt"] == .string("1"))
        #expect(lines.count { $0.message == "taskRetried" && $0.level == .warning } == 2)
        #expect(lines.count { $0.message == "taskFailed" && $0.level == .error } == 1)
    }

    @Test("events are counted, and times recorded")
    func metrics() {
        let metrics = FarmMetrics(prefix: "test")
        for event in report.events { metrics.record(event) }
        for response in report.responses { metrics.record(response) }
        #expect(Recorded.values("test.tasks.finished") == [1])
        #expect(Recorded.values("test.tasks.failed") == [1])
        #expect(Recorded.values("test.attempts.retried") == [1, 1])
        #expect(Recorded.values("test.systems.joined") == [1, 1])
        #expect(Recorded.values("test.tasks.time").count == 2)
    }

    @Test("the trace of a task travels to its node and back")
    func tracing() throws {
        var context = ServiceContext.topLevel
        context.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let traced = ServiceContext.$current.withValue(context) { Traced(Half(id: 2)) }
        #expect(traced.headers == ["traceparent": context.traceparent ?? ""])
        let output = try SimulatedFarm(nodes: 1).run([traced]).outputs()[2]
        #expect(output?.value == 1)
        #expect(output?.headers["traceparent"] == "\(context.traceparent ?? "") > adapters.half/1")
    }

    @Test("a node ends with the group of its service, its tasks done")
    func lifecycle() async throws {
        let node = ScanNode(
            keys: KeyRing(current: try .random()), slots: 1, serving: TaskTypes(Half.self), listen: "127.0.0.1:0",
            discovering: [])
        let (ready, continuation) = AsyncStream<String>.makeStream()
        let running = Task { try await NodeService(node) { continuation.yield($0) }.run() }
        for await _ in ready { break }
        GracefulShutdown.trigger()
        try await running.value
        #expect(throws: SetupError.self) { try node.start() }
    }
}
