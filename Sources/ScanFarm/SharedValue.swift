import ScanBasics
public import ScanCluster
import ScanNetwork

/// A value that all tasks of a run use, such as a table or a model: each node gets it once.
///
/// ```swift
/// struct Lookup: ScanTask {
///     static let typeName = "example.lookup/1"
///     var id: Int
///
///     func scan(_ context: ScanContext) throws -> Double { try context.shared([Double].self)[id] }
/// }
///
/// let table = try SharedValue(rows)
/// for try await response in farm.responses(to: lookups, sharing: table) { print(try response.get()) }
/// ```
///
/// The value is coded once, and a node keeps it under the checksum of its coded form until the connection ends, also for later
/// runs, if `NodeServer.Options.bulkCacheLimit` has room for it. Tasks that share a value have no other bulk bytes.
public struct SharedValue<Value: Codable & Sendable>: Sendable {
    let source: BulkSource

    /// Codes `value`.
    /// - Throws: what the value throws when it is coded.
    public init(_ value: Value) throws {
        let bytes = try WireEncoder().encode(value) { coded in
            BulkBytes(byteCount: coded.count) { $0.copyMemory(from: coded) }
        }
        let key = BulkKey(job: bytes.checksum(checksum), index: UInt64(bytes.count))
        source = BulkSource(key: key, byteCount: bytes.count) { bytes }
    }
}

extension Farm {
    /// Runs `tasks` on all systems of the farm, once each of these has `value`, which the tasks get by
    /// `context.shared(_:)`.
    ///
    /// With a journal, the value belongs to what a task is: to go on with another value is an error. A value that is coded
    /// differently in each process, such as a dictionary or a set, is another value in each run: share a sorted array.
    public func responses<Work: ScanTask, Value>(
        to tasks: some Sequence<Work> & Sendable, sharing value: SharedValue<Value>,
        observer: (@Sendable (TaskEvent) -> Void)? = nil
    ) -> TaskResponses<Work> {
        let observer = node.page?.observing(Work.typeName, observer) ?? observer
        guard let journal else { return coordinator.responses(to: tasks, sharing: value.source, observer: observer) }
        return responses(to: tasks, sharing: value.source.key, in: journal) { [coordinator] in
            coordinator.responses(to: $0, sharing: value.source, observer: observer)
        }
    }
}

extension ScanContext {
    /// The value that the tasks of the run share. A process decodes it once.
    /// - Throws: `SharedValueError` if the run shares none, or a value of another type.
    public func shared<Value: Codable & Sendable>(_ type: Value.Type) throws -> Value {
        guard let bytes = bulk else {
            throw SharedValueError(description: "the run shares no value: pass one by responses(to:sharing:)")
        }
        return try DecodedValues.shared.value(of: bytes) {
            do {
                return try bytes.withUnsafeBytes { try WireDecoder().decode(type, from: $0) }
            } catch {
                throw SharedValueError(description: "the value that the run shares is no \(type): \(error)")
            }
        }
    }
}

/// A task asks for a value that its run does not share.
public struct SharedValueError: Error, Equatable, CustomStringConvertible {
    /// The cause, in one line.
    public let description: String
}

/// The values of shared bytes that are in use.
private final class DecodedValues: Sendable {
    static let shared = DecodedValues()

    private struct Entry: @unchecked Sendable {
        // Sendable: a weak reference, which is read and written under the lock only.
        weak var bytes: BulkBytes?
        var value: any Sendable
    }
    private let entries = Locked<[ObjectIdentifier: Entry]>([:])

    /// The value of `bytes`, which `decode` decodes if that has not been done.
    func value<Value: Sendable>(of bytes: BulkBytes, _ decode: () throws -> Value) throws -> Value {
        let known = entries.withLock { entries -> Value? in
            guard let entry = entries[ObjectIdentifier(bytes)], entry.bytes === bytes else { return nil }
            return entry.value as? Value
        }
        if let known { return known }
        let value = try decode()
        entries.withLock { entries in
            entries = entries.filter { $0.value.bytes != nil }
            entries[ObjectIdentifier(bytes)] = Entry(bytes: bytes, value: value)
        }
        return value
    }
}
