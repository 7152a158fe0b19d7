public import ScanCluster
import ScanNetwork

/// A task whose output stays on the system that computes it, until it is asked for: see
/// ``Farm/responses(keeping:bulk:observer:)``.
///
/// A node that is to keep outputs of `Render` serves `TaskTypes(Render.self, Keeping<Render>.self)`.
public struct Keeping<Work: ScanTask>: ScanTask {
    /// A request to the system that keeps outputs.
    enum Step: Codable {
        /// Do the task, and keep its output.
        case keep(Work)
        /// Do the task, and return its output.
        case compute(Work)
        /// Return what is kept.
        case fetch(KeptHandle)
        /// Forget it.
        case release(KeptHandle)
    }

    /// The answer to a request: a handle, a value or nothing.
    public struct Output: Codable, Sendable {
        var handle: KeptHandle?
        var byteCount = 0
        /// The coded output.
        var value: [UInt8]?
    }

    /// The name of the type with that of the tasks.
    public static var typeName: String { "\(Work.typeName) \(KeptTypes.suffix)" }

    /// The ID of the task.
    public let id: Work.ID
    private let step: Step

    init(_ step: Step, of id: Work.ID) { (self.step, self.id) = (step, id) }

    var work: Work? {
        switch step {
        case .keep(let work), .compute(let work): work
        case .fetch, .release: nil
        }
    }

    /// The cost of the task; 1 for a request about an output.
    public var cost: Double { work?.cost ?? 1 }
    /// The rate that is assumed for the tasks.
    public static var assumedCostPerSecond: Double? { Work.assumedCostPerSecond }
    /// The tags of the task; none for a request about an output.
    public var requiredTags: Set<String> { work?.requiredTags ?? [] }
    /// The slots of the task; 1 for a request about an output.
    public var slots: Int { work?.slots ?? 1 }
    /// The memory of the task; none for a request about an output.
    public var requiredMemory: Int { work?.requiredMemory ?? 0 }
    /// The priority of the task; 0 for a request about an output.
    public var priority: Int { work?.priority ?? 0 }
    /// The policy of the task; the default one for a request about an output.
    public var retryPolicy: RetryPolicy? { work?.retryPolicy }

    /// Does the task, or returns what is kept.
    public func scan(_ context: ScanContext) throws -> Output {
        switch step {
        case .keep(let work):
            let output = try work.scan(context)
            let bytes = try WireEncoder().encode(output) { coded in
                BulkBytes(byteCount: coded.count) { $0.copyMemory(from: coded) }
            }
            return Output(handle: try KeptStore.current.keep(bytes), byteCount: bytes.count)
        case .compute(let work): return Output(value: try WireEncoder().encode(try work.scan(context)))
        case .fetch(let handle):
            let bytes = KeptStore.current.find(handle)
            return Output(value: bytes.map { $0.withUnsafeBytes { [UInt8]($0) } })
        case .release(let handle):
            KeptStore.current.remove(handle)
            return Output()
        }
    }

    /// Refuses an output that is not that of its step.
    public func validate(_ output: Output) throws {
        switch step {
        case .keep: if output.handle == nil || output.byteCount < 0 { throw WrongOutput() }
        case .compute(let work):
            guard let value = output.value else { throw WrongOutput() }
            try work.validate(WireDecoder().decode(Work.Output.self, from: value))
        case .fetch, .release: break
        }
    }

    private struct WrongOutput: Error, CustomStringConvertible {
        let description = "an answer to another request"
    }
}

/// The names of the types whose outputs are kept.
enum KeptTypes {
    static let suffix = "kept/1"

    /// Whether one of these names is that of a type whose outputs are kept.
    static func contain(_ names: [String]) -> Bool { names.contains { $0.hasSuffix(" \(suffix)") } }
}
