/// Carries attempts to a system and replies back.
///
/// A transport does not depend on types of tasks: it encodes any task, and the requester of an attempt decodes the
/// output. All calls come from the executor of the ``ScanSystem`` that owns the transport, so that a transport on an
/// event loop needs no locks. No call blocks: a reply, or the loss of the system, arrives through a completion.
public protocol ScanTransport: AnyObject, Sendable {
    /// What requests of a task with these bulk bytes carry, in the order in which that is tried, so that ``Payload/plain`` is
    /// the last; the bytes as they are by default.
    func payloads(of source: BulkSource) -> [Payload]

    /// Starts an attempt. Unless the attempt is cancelled first, `completion` is called once, on the same executor and
    /// not from inside this call. The bulk bytes of the request belong to the transport.
    func start(_ request: consuming AttemptRequest, completion: @escaping AttemptCompletion) -> AttemptHandle

    /// Cancels an attempt: drops its completion, and tells the system to cancel it.
    func cancel(_ handle: AttemptHandle)

    /// Ends the connection; attempts still under way complete with ``ScanError/Code/systemLost``.
    func close()
}

extension ScanTransport {
    /// The bytes as they are.
    public func payloads(of source: BulkSource) -> [Payload] { [.plain] }
}

/// One attempt at a task, as a transport carries it.
public struct AttemptRequest: Sendable {
    /// The task.
    public var task: any ScanTask
    /// Number of this attempt at the task, from 1.
    public var number: Int
    /// Key of the bulk bytes, if they have one.
    public var bulkKey: BulkKey?
    /// Whether no later attempt has ``bulkKey``, except a repetition of this one.
    public var isLastUse = false
    /// The bulk bytes, packed or not; nil if there are none or the system holds ``bulkKey``.
    public var bulk: BulkBytes?
    /// Bytes of one number of ``bulk``, for a transport that compresses them; nil if it must not.
    public var numberSize: Int?
    /// A reference to ``bulk``, or to bytes that were not read. A transport may send this instead, and completes with
    /// ``ScanError/Code/bulkMissing`` if the system does not find the same bytes.
    public var reference: BulkReference?
    /// Number of bytes that ``reference`` refers to.
    public var referredCount = 0
    /// By which the transport reports how much of ``bulk`` it has still to send; 0 if nobody asks.
    package var ticket: UInt64 = 0

    /// Attempt number `number` at `task`.
    public init(task: any ScanTask, number: Int, bulkKey: BulkKey? = nil, bulk: BulkBytes? = nil) {
        self.task = task
        self.number = number
        self.bulkKey = bulkKey
        self.bulk = bulk
    }
}

/// Names an attempt that a transport has started.
public struct AttemptHandle: Hashable, Sendable {
    /// Unique within the transport.
    public var rawValue: UInt64

    /// A handle.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Takes the outcome of an attempt, and the output if it has finished.
public typealias AttemptCompletion = @Sendable (AttemptOutcome, (any AttemptOutput)?) -> Void

/// The output of an attempt: the value itself, or its coded form. Valid only during the call of the completion.
public protocol AttemptOutput {
    /// The output as a value of the task's ``ScanTask/Output``.
    /// - Throws: an error with a readable description if the output is not of that type.
    func decode<Output: Decodable & Sendable>(_ type: Output.Type) throws -> Output
}

/// An output that never left this process.
public struct PlainOutput: AttemptOutput, Sendable {
    private let value: any Sendable

    /// The output itself.
    public init(_ value: any Sendable) { self.value = value }

    /// The output, if it is of this type.
    /// - Throws: an error with a readable description if it is not.
    public func decode<Output: Decodable & Sendable>(_ type: Output.Type) throws -> Output {
        guard let output = value as? Output else { throw WrongType(expected: "\(type)", found: "\(value)") }
        return output
    }

    private struct WrongType: Error, CustomStringConvertible {
        var expected: String
        var found: String
        var description: String { "\(found) is not of type \(expected)" }
    }
}
