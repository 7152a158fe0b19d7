/// Why a system gave no response to an attempt: a fault of the system or of the way to it, not of the task.
///
/// What the task's own code throws is no `ScanError`: it comes back as ``TaskResponse/Result/failure(_:)``.
public struct ScanError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public struct Code: Codable, Hashable, Sendable, CustomStringConvertible {
        enum Value: String, Codable {  // swift-format-ignore
            case systemLost, timedOut, cancelled, refused, unknownScanner, invalidResponse, bulkMissing, bulkUnreadable
            case unreachable, incompatible, notANode, noSystem, draining, authentication
        }
        let value: Value
        /// The connection ended, or the system left, before it answered.
        public static let systemLost = Code(value: .systemLost)
        /// The attempt took longer than its time-out.
        public static let timedOut = Code(value: .timedOut)
        /// Nobody waits for the attempt any more.
        public static let cancelled = Code(value: .cancelled)
        /// The system takes no more tasks now: its queue is full.
        public static let refused = Code(value: .refused)
        /// The system is about to leave, and takes no more tasks.
        public static let draining = Code(value: .draining)
        /// The system does not know this type of task.
        public static let unknownScanner = Code(value: .unknownScanner)
        /// The response could not be decoded, or cannot be the answer to the task.
        public static let invalidResponse = Code(value: .invalidResponse)
        /// The system no longer keeps the bulk bytes the attempt refers to.
        public static let bulkMissing = Code(value: .bulkMissing)
        /// The coordinator could not read the bulk bytes: a fault of the job's input, of no system.
        public static let bulkUnreadable = Code(value: .bulkUnreadable)
        /// No connection could be made.
        public static let unreachable = Code(value: .unreachable)
        /// The peer speaks another protocol version.
        public static let incompatible = Code(value: .incompatible)
        /// What answers there is another program.
        public static let notANode = Code(value: .notANode)
        /// The peer does not hold the cluster key, or did not prove it.
        public static let authentication = Code(value: .authentication)
        /// No system is there to run the task.
        public static let noSystem = Code(value: .noSystem)

        /// The code's name.
        public var description: String { value.rawValue }
    }

    /// What went wrong.
    public var code: Code
    /// The cause in words, fit for a user.
    public var message: String
    /// Name of the system, where one is known.
    public var system: String?

    /// An error.
    public init(_ code: Code, _ message: String, system: String? = nil) {
        self.code = code
        self.message = message
        self.system = system
    }

    /// The cause, after the name of the system.
    public var description: String { system.map { "\($0): \(message)" } ?? message }
}
