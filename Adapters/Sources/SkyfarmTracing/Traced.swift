internal import Instrumentation
public import ScanCluster
public import ServiceContextModule
internal import Tracing

/// A task with the context of its trace: the headers of the tracer in use, such as `traceparent` of W3C Trace Context, travel
/// with the task, and those of the span on the node travel back with the output.
///
/// It is a task like others, of a type that the node must know. The wire is the same.
///
/// ```swift
/// let node = ScanNode(keys: keys, slots: 2, serving: TaskTypes(Traced<PrimeCount>.self))
///
/// for try await response in farm.responses(to: tasks.map { Traced($0) }) { primes += try response.get().value }
/// ```
public struct Traced<Work: ScanTask>: ScanTask {
    /// The output of a task, and the span in which it was made.
    public struct Output: Codable, Sendable {
        /// The output.
        public var value: Work.Output
        /// The headers of the span on the node.
        public var headers: [String: String]

        /// An output that was made in the span of these headers.
        public init(value: Work.Output, headers: [String: String]) {
            self.value = value
            self.headers = headers
        }
    }

    /// The name of the type of the task, with an addition.
    public static var typeName: String { "\(Work.typeName) traced/1" }
    /// That of the task's type.
    public static var assumedCostPerSecond: Double? { Work.assumedCostPerSecond }

    /// The task.
    public var task: Work
    /// The headers of the span to which it belongs.
    public var headers: [String: String]

    /// The task's identity.
    public var id: Work.ID { task.id }
    /// The task's cost.
    public var cost: Double { task.cost }
    /// The task's tags.
    public var requiredTags: Set<String> { task.requiredTags }
    /// The task's slots.
    public var slots: Int { task.slots }
    /// The task's memory.
    public var requiredMemory: Int { task.requiredMemory }
    /// The task's priority.
    public var priority: Int { task.priority }
    /// The task's retry policy.
    public var retryPolicy: RetryPolicy? { task.retryPolicy }

    /// `task` as a part of the trace of `context`.
    public init(_ task: Work, context: ServiceContext = .current ?? .topLevel) {
        self.task = task
        headers = Headers.of(context)
    }

    /// Does the work of the task in a span of its own.
    public func scan(_ context: ScanContext) throws -> Output {
        var parent = ServiceContext.topLevel
        InstrumentationSystem.instrument.extract(headers, into: &parent, using: Headers())
        return try withSpan(Work.typeName, context: parent, ofKind: .server) { span in
            Output(value: try task.scan(context), headers: Headers.of(span.context))
        }
    }

    /// Accepts what the task accepts.
    public func validate(_ output: Output) throws { try task.validate(output.value) }
}

/// Headers in a dictionary, as tracers write and read them.
private struct Headers: Injector, Extractor {
    static func of(_ context: ServiceContext) -> [String: String] {
        var headers: [String: String] = [:]
        InstrumentationSystem.instrument.inject(context, into: &headers, using: Headers())
        return headers
    }

    func inject(_ value: String, forKey key: String, into headers: inout [String: String]) { headers[key] = value }

    func extract(key: String, from headers: [String: String]) -> String? { headers[key] }
}
