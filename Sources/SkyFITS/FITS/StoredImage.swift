internal import CXXHash
import Foundation
package import ScanBasics

/// The bytes of a file that contain one image: its HDU's header and data as stored.
///
/// For a file compressed as a whole (`.gz`), these are all bytes. The range is determined when the file is opened, so
/// that the bytes can be read without CFITSIO, concurrently with the image.
public struct StoredImage: Hashable, Sendable {
    /// The location from which the image was opened.
    public let location: ImageLocation
    /// Nil: the whole file.
    package let range: Range<Int>?
    /// The file's state before it was opened; nil for bytes in memory.
    package let state: FileState?

    /// Whether the whole file is compressed.
    public var isCompressedFile: Bool { range == nil }

    /// The 64-bit XXH3 of the bytes. It detects changes, but not forgery.
    /// - Parameter checkCancellation: Called before every 128 KiB; what it throws ends the reading.
    /// - Returns: The checksum.
    /// - Throws: ``ImageError`` with `unreadable`, if the file can no longer be read; what `checkCancellation` throws.
    public func checksum(checkCancellation: () throws -> Void = {}) throws -> UInt64 {
        try opened().checksum(checkCancellation: checkCancellation)
    }

    /// Opens the file.
    /// - Throws: ``ImageError`` with `unreadable`.
    package func opened() throws(ImageError) -> StoredBytes {
        // Opening a pipe, if the file was replaced by one, must not wait for a writer.
        let descriptor = open(location.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable }
        return StoredBytes(image: self, file: OpenDescriptor(descriptor))
    }

    fileprivate var unreadable: ImageError {
        ImageError(.unreadable, "\(location): cannot be read any more; was the file changed or removed?")
    }
}

/// The bytes of an image in a file that is open, even if its path has been replaced since.
package struct StoredBytes: Sendable {
    package let image: StoredImage
    package let file: OpenDescriptor

    package var unreadable: ImageError { image.unreadable }

    /// As ``StoredImage/checksum(checkCancellation:)``.
    package func checksum(checkCancellation: () throws -> Void) throws -> UInt64 {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw unreadable }
        let size = Int(status.st_size)
        let (start, end) = (image.range?.lowerBound ?? 0, min(image.range?.upperBound ?? size, size))
        guard start <= end else { throw unreadable }
        return try checksum(of: start..<end, checkCancellation: checkCancellation)
    }

    /// The 64-bit XXH3 of bytes of the file.
    /// - Throws: ``ImageError`` with `unreadable`; what `checkCancellation`, called every 128 KiB, throws.
    package func checksum(of range: Range<Int>, checkCancellation: () throws -> Void) throws -> UInt64 {
        guard let state = XXH3_createState() else { throw unreadable }
        defer { XXH3_freeState(state) }
        XXH3_64bits_reset(state)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(range.count, 1 << 17), alignment: 16)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            try checkCancellation()
            let wanted = min(buffer.count, range.upperBound - offset)
            let count = pread(file.number, buffer.baseAddress, wanted, off_t(offset))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw unreadable }
            XXH3_64bits_update(state, buffer.baseAddress, count)
            offset += count
        }
        return XXH3_64bits_digest(state)
    }
}
