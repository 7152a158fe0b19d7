/// Why a journal cannot be used, in one line that names the file, the cause and what to do.
public struct JournalError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        enum Value: String { case inUse, noSpace, unwritable, damaged, unknownJob }
        let value: Value
        /// Another process runs the job.
        public static let inUse = Code(value: .inUse)
        /// The disk or the quota is full.
        public static let noSpace = Code(value: .noSpace)
        /// The folder or the file cannot be written.
        public static let unwritable = Code(value: .unwritable)
        /// The file is no journal of this version, or its bytes are not what was written.
        public static let damaged = Code(value: .damaged)
        /// No job has this ID, or several begin with it.
        public static let unknownJob = Code(value: .unknownJob)

        /// The code's name.
        public var description: String { value.rawValue }
    }

    /// The kind of fault.
    public var code: Code
    /// File, cause and remedy in one line.
    public var message: String

    /// An error whose message is `message`.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
