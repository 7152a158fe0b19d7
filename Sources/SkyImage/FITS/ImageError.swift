/// Why an image cannot be opened or read, in one line that names the file, the cause and what to do.
public struct ImageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: String, Sendable {
        /// No file has this name.
        case missing
        /// The name is a folder's.
        case isDirectory
        /// The system refuses to open or read the file.
        case unreadable
        /// The file has no bytes.
        case empty
        /// The file is of another format.
        case notFITS
        /// The file ends before its header or its data do.
        case truncated
        /// The file, or the HDU that was asked for, holds no 2-D image.
        case noImage
        /// The image has more pixels than can be addressed.
        case tooLarge
        /// What stands in brackets after the path selects no HDU.
        case invalidSelector
        /// The file lacks the HDU that was asked for.
        case noSuchHDU
        /// Header or samples make no sense, or cannot be decompressed.
        case corrupt
    }

    /// What went wrong.
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
