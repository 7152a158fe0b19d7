/// Why an image cannot be opened or read, in one line that names the file, the cause and what to do.
public struct ImageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        enum Value: String {
            case missing, isDirectory, unreadable, empty, notFITS, truncated, noImage, tooLarge
            case invalidSelector, noSuchHDU, corrupt
        }
        let value: Value
        /// No file has this name.
        public static let missing = Code(value: .missing)
        /// The name is a folder's.
        public static let isDirectory = Code(value: .isDirectory)
        /// The system refuses to open or read the file.
        public static let unreadable = Code(value: .unreadable)
        /// The file has no bytes.
        public static let empty = Code(value: .empty)
        /// The file is of another format.
        public static let notFITS = Code(value: .notFITS)
        /// The file ends before its header or its data do.
        public static let truncated = Code(value: .truncated)
        /// The file, or the HDU that was asked for, holds no 2-D image.
        public static let noImage = Code(value: .noImage)
        /// The image has more pixels than can be addressed.
        public static let tooLarge = Code(value: .tooLarge)
        /// What stands in brackets after the path selects no HDU.
        public static let invalidSelector = Code(value: .invalidSelector)
        /// The file lacks the HDU that was asked for.
        public static let noSuchHDU = Code(value: .noSuchHDU)
        /// Header or samples make no sense, or cannot be decompressed.
        public static let corrupt = Code(value: .corrupt)

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
