internal import ScanSlots
public import ScanCluster

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The outcome of a task on a node, encoded for the wire.
package enum CodedResult: Sendable {
    /// The encoded output.
    case output([UInt8])
    /// The task cannot be decoded, or the scan threw, for this reason.
    case failure(String)
    /// The bulk bytes to which the task refers are not on the node, for this reason.
    case bulkElsewhere(String)
}

/// The types of task that a node runs. Tasks of other types are refused.
public struct TaskTypes: Sendable {
    /// The end of an attempt on a node.
    enum Outcome {
        /// The task was run; the scan alone took so long.
        case done(CodedResult, seconds: Double)
        /// The task was not run, since it needs so much room.
        case large(SlotNeeds)
    }

    /// Decodes a task, runs it and encodes its output; a large task only if `hasRoom`.
    typealias Run = @Sendable (_ task: [UInt8], ScanContext, any ScanClock, _ hasRoom: Bool) -> Outcome

    /// One type of task, under its name. A class: each task refers to its entry.
    final class Entry: Sendable {
        let name: String
        let run: Run

        init(name: String, run: @escaping Run) {
            self.name = name
            self.run = run
        }

        func isNamed(_ bytes: UnsafeRawBufferPointer) -> Bool {
            var name = name
            return name.withUTF8 { name in
                // Not `elementsEqual`: this runs for each task.
                guard let first = name.baseAddress, let second = bytes.baseAddress else { return false }
                return name.count == bytes.count && memcmp(first, second, name.count) == 0
            }
        }
    }

    /// How tasks of these types compute, which a node reports to coordinators; nil to report nothing.
    public var arithmetic: Arithmetic?
    /// Unpacks the bulk bytes of tasks; nil if coordinators must not pack them.
    public var unpacker: (any BulkUnpacker)?

    private var runs: [String: Run] = [:]
    private var types: [String: ObjectIdentifier] = [:]
    /// What is wrong with the name of a type; nil if nothing is.
    private(set) var problem: SetupError?
    private let encoders = WireEncoder.Pool()

    /// A registry of these types, as in `TaskTypes(PrimeCount.self, PrimeSum.self)`. If two types have the same name, or
    /// one has no name, a node that is to run them throws `SetupError` when it is started.
    public init<each Work: ScanTask>(_ types: repeat (each Work).Type) {
        repeat check(each types)
        check(SharePrimer.self)
        repeat add(each types)
        repeat add(TaskChunk<each Work>.self)
        add(SharePrimer.self)
    }

    /// Names of all types, sorted.
    public var names: [String] { runs.keys.sorted() }

    /// The same types, of which `observe` gets each name, outcome and seconds, and returns the outcome.
    package func observed(_ observe: @escaping @Sendable (String, CodedResult, Double) -> CodedResult) -> TaskTypes {
        var taskTypes = self
        for (name, run) in runs {
            taskTypes.runs[name] = { bytes, context, clock, hasRoom in
                let outcome = run(bytes, context, clock, hasRoom)
                guard case .done(let result, let seconds) = outcome else { return outcome }
                return .done(observe(name, result, seconds), seconds: seconds)
            }
        }
        return taskTypes
    }

    /// The type of that name.
    func find(_ name: UnsafeRawBufferPointer) -> Entry? {
        let name = String(decoding: name, as: UTF8.self)
        return runs[name].map { Entry(name: name, run: $0) }
    }

    private mutating func check<Work: ScanTask>(_ type: Work.Type) {
        let known = types.updateValue(ObjectIdentifier(type), forKey: Work.typeName)
        let isTaken = known.map { $0 != ObjectIdentifier(type) } ?? false
        problem = problem ?? SetupError(typeName: Work.typeName, of: type, isTaken: isTaken)
    }

    private mutating func add<Work: ScanTask>(_ type: Work.Type) {
        runs[Work.typeName] = { [encoders] bytes, context, clock, hasRoom in
            let task: Work
            do {
                task = try WireDecoder().decode(Work.self, from: bytes)
            } catch {
                return .done(.failure("the task cannot be decoded: \(error)"), seconds: 0)
            }
            let needs = SlotNeeds(slots: task.slots, memory: task.requiredMemory)
            if needs != .one, !hasRoom { return .large(needs) }
            let (output, seconds) = task.scan(context, by: clock)
            do {
                return .done(.output(try encoders.encode(try output.get())), seconds: seconds)
            } catch {
                return .done(.failure(String(words: error)), seconds: seconds)
            }
        }
    }
}
