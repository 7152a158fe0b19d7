internal import CXXHash
import Foundation

/// The bytes of a file that make one image: its HDU's header and data as they are stored.
///
/// Of a file that is compressed as a whole (`.gz`), all bytes count. Known since the file was opened, so that they can
/// be read beside the image without CFITSIO.
public struct StoredImage: Hashable, Sendable {
    /// Where the image was opened.
    public let location: ImageLocation
    /// Nil: the whole file.
    let range: Range<Int>?

    /// Whether the file is compressed as a whole.
    public var isCompressedFile: Bool { range == nil }

    /// A 64-bit XXH3 of the bytes. It finds changes; it is no proof against forgery.
    /// - Parameter checkCancellation: Called before every 128 KiB; what it throws ends the reading.
    /// - Returns: The checksum.
    /// - Throws: ``ImageError`` with `unreadable`, if the file cannot be read any more; what `checkCancellation` throws.
    public func checksum(checkCancellation: () throws -> Void = {}) throws -> UInt64 {
        try opened().checksum(checkCancellation: checkCancellation)
    }

    /// Opens the file.
    /// - Throws: ``ImageError`` with `unreadable`.
    package func opened() throws(ImageError) -> StoredBytes {
        let descriptor = open(location.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable }
        return StoredBytes(image: self, file: OpenDescriptor(descriptor))
    }

    fileprivate var unreadable: ImageError {
        ImageError(.unreadable, "\(location): cannot be read any more; was the file changed or removed?")
    }
}

/// The bytes of an image in a file that was opened, whatever stands in its place meanwhile.
package struct StoredBytes: Sendable {
    fileprivate let image: StoredImage
    fileprivate let file: OpenDescriptor

    /// As ``StoredImage/checksum(checkCancellation:)``.
    package func checksum(checkCancellation: () throws -> Void) throws -> UInt64 {
        let descriptor = file.number
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw image.unreadable }
        let size = Int(status.st_size)
        let (start, end) = (image.range?.lowerBound ?? 0, min(image.range?.upperBound ?? size, size))
        guard start <= end, let state = XXH3_createState() else { throw image.unreadable }
        defer { XXH3_freeState(state) }
        XXH3_64bits_reset(state)
        var buffer = [UInt8](repeating: 0, count: 1 << 17)
        var offset = start
        while offset < end {
            try checkCancellation()
            let wanted = min(buffer.count, end - offset)
            let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, wanted, off_t(offset)) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw image.unreadable }
            _ = buffer.withUnsafeBytes { XXH3_64bits_update(state, $0.baseAddress, count) }
            offset += count
        }
        return XXH3_64bits_digest(state)
    }
}
