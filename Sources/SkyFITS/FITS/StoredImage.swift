internal import CXXHash
import Foundation
package import ScanBasics

/// The bytes of a file that contain an image: the header and data of its HDU as stored.
///
/// For a file that is compressed as a whole (`.gz`), these are all bytes. The range is determined when the file is
/// opened, so that the bytes can be read without CFITSIO, concurrently with the image.
public struct StoredImage: Hashable, Sendable {
    /// The location from which the image was opened.
    public let location: ImageLocation
    /// Byte range of the HDU; nil for the whole file.
    package let range: Range<Int>?
    /// State of the file before it was opened; nil for bytes in memory.
    package let state: FileState?

    /// Whether the file is compressed as a whole.
    public var isCompressedFile: Bool { range == nil }

    /// Computes the 64-bit XXH3 checksum of the bytes. It detects changes, but not forgery.
    /// - Parameter checkCancellation: called before every 128 KiB; an error that it throws ends the reading.
    /// - Returns: the checksum.
    /// - Throws: ``ImageError`` with `unreadable`, if the file can no longer be read; errors of `checkCancellation`.
    public func checksum(checkCancellation: () throws -> Void = {}) throws -> UInt64 {
        try opened().checksum(checkCancellation: checkCancellation)
    }

    /// Opens the file for reading.
    /// - Throws: ``ImageError`` with `unreadable`.
    package func opened() throws(ImageError) -> StoredBytes {
        // Must not wait for a writer if the file was replaced by a pipe.
        let descriptor = open(location.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable }
        return StoredBytes(image: self, file: OpenDescriptor(descriptor))
    }

    fileprivate var unreadable: ImageError {
        ImageError(.unreadable, "\(location): cannot be read any more; was the file changed or removed?")
    }
}

/// The bytes of an image in an open file, even if another file has taken its path.
package struct StoredBytes: Sendable {
    package let image: StoredImage
    package let file: OpenDescriptor

    package var unreadable: ImageError { image.unreadable }

    /// Computes the checksum of the image's bytes; see ``StoredImage/checksum(checkCancellation:)``.
    package func checksum(checkCancellation: () throws -> Void) throws -> UInt64 {
        try checksum(of: range(), checkCancellation: checkCancellation)
    }

    /// The range of the image's bytes in the file, which may end before its last block does.
    /// - Throws: ``ImageError`` with `unreadable`.
    package func range() throws(ImageError) -> Range<Int> {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw unreadable }
        let size = Int(status.st_size)
        let (start, end) = (image.range?.lowerBound ?? 0, min(image.range?.upperBound ?? size, size))
        guard start <= end else { throw unreadable }
        return start..<end
    }

    /// Computes the 64-bit XXH3 checksum of a range of the file.
    /// - Parameters:
    ///   - range: the bytes.
    ///   - memory: room for all of them, if they are to be kept.
    ///   - checkCancellation: called before every 128 KiB; an error that it throws ends the reading.
    /// - Returns: the checksum.
    /// - Throws: ``ImageError`` with `unreadable`; errors of `checkCancellation`.
    package func checksum(
        of range: Range<Int>, keeping memory: UnsafeMutableRawBufferPointer? = nil,
        checkCancellation: () throws -> Void
    ) throws -> UInt64 {
        guard let state = XXH3_createState() else { throw unreadable }
        defer { XXH3_freeState(state) }
        XXH3_64bits_reset(state)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(range.count, 1 << 17), alignment: 16)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            try checkCancellation()
            let wanted = min(buffer.count, range.upperBound - offset)
            let target = memory.map { UnsafeMutableRawBufferPointer(rebasing: $0[(offset - range.lowerBound)...]) }
            let address = (target ?? buffer).baseAddress
            let count = pread(file.number, address, wanted, off_t(offset))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw unreadable }
            XXH3_64bits_update(state, address, count)
            offset += count
        }
        return XXH3_64bits_digest(state)
    }
}
