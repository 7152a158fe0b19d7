public import ScanBasics

/// A failure to open or read an image. The message names the file, the cause and the remedy in one line.
public typealias ImageError = CodedError<ImageErrorCode>

/// The kind of an ``ImageError``.
public enum ImageErrorCode: String, Sendable {
    /// The file does not exist.
    case missing
    /// The path is that of a folder.
    case isDirectory
    /// The system refuses to open or read the file.
    case unreadable
    /// The file is empty.
    case empty
    /// The file has another format.
    case notFITS
    /// The file ends within its header or its data.
    case truncated
    /// The file, or the selected HDU, holds no 2-D image.
    case noImage
    /// The file is whole, but holds only tables, spectra or other data of one axis, or nothing.
    case onlyOtherData
    /// The image has more pixels than can be addressed.
    case tooLarge
    /// The text in brackets after the path is not an HDU selector.
    case invalidSelector
    /// The selected HDU does not exist in the file.
    case noSuchHDU
    /// Header or samples are invalid, or cannot be decompressed.
    case corrupt
    /// The file was written to while it was in use.
    case changed
}
