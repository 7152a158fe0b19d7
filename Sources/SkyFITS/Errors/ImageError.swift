public import ScanBasics

/// Why an image cannot be opened or read, in one line that names the file, the cause and what to do.
public typealias ImageError = CodedError<ImageErrorCode>

/// What went wrong; see ``ImageError``.
public enum ImageErrorCode: String, Sendable {
    /// The file does not exist.
    case missing
    /// The path is that of a folder.
    case isDirectory
    /// The system refuses to open or read the file.
    case unreadable
    /// The file is empty.
    case empty
    /// The file is of another format.
    case notFITS
    /// The file ends within its header or its data.
    case truncated
    /// The file, or the selected HDU, holds no 2-D image.
    case noImage
    /// The image has more pixels than can be addressed.
    case tooLarge
    /// The text in brackets after the path is not an HDU selector.
    case invalidSelector
    /// The selected HDU does not exist in the file.
    case noSuchHDU
    /// Header or samples are invalid, or cannot be decompressed.
    case corrupt
    /// The file was written to while it was used.
    case changed
}
