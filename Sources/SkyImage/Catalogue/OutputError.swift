/// Why a file cannot be written, in one line that names the file, the cause and what to do.
public struct OutputError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        enum Value: String {
            case exists, unwritable, noSpace, unknownFormat, failed, missingColumn
        }
        let value: Value
        /// The file exists, and overwriting it was not asked for.
        public static let exists = Code(value: .exists)
        /// The folder is missing or read-only, or the name is not one of a regular file.
        public static let unwritable = Code(value: .unwritable)
        /// The disk or the quota is full.
        public static let noSpace = Code(value: .noSpace)
        /// The name's ending stands for no known format.
        public static let unknownFormat = Code(value: .unknownFormat)
        /// Another fault while writing.
        public static let failed = Code(value: .failed)
        /// The format needs a column that the table lacks.
        public static let missingColumn = Code(value: .missingColumn)

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
