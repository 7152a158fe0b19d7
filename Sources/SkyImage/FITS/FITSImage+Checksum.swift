internal import CFITSIO
internal import CXXHash
import Foundation

extension FITSImage {
    /// A 64-bit XXH3 of the bytes that make this image: its HDU's header and data as they are stored.
    ///
    /// Of a file that is compressed as a whole (`.gz`), all bytes count. It finds changes; it is no proof against
    /// forgery.
    /// - Parameter checkCancellation: Called before every MiB; what it throws ends the reading.
    /// - Throws: ``ImageError`` with `unreadable`, if the file cannot be read any more; what `checkCancellation` throws.
    public func checksum(checkCancellation: () throws -> Void = {}) throws -> UInt64 {
        let descriptor = open(location.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable() }
        defer { close(descriptor) }
        let extent = try storedBytes(descriptor)
        guard let state = XXH3_createState() else { throw unreadable() }
        defer { XXH3_freeState(state) }
        XXH3_64bits_reset(state)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset = extent.lowerBound
        while offset < extent.upperBound {
            try checkCancellation()
            let wanted = min(buffer.count, extent.upperBound - offset)
            let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, wanted, off_t(offset)) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw unreadable() }
            _ = buffer.withUnsafeBytes { XXH3_64bits_update(state, $0.baseAddress, count) }
            offset += count
        }
        return XXH3_64bits_digest(state)
    }

    private func storedBytes(_ descriptor: Int32) throws(ImageError) -> Range<Int> {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable() }
        let size = Int(status.st_size)
        if FileKind.isCompressed(try FileKind.firstBytes(of: location.path)) { return 0..<size }
        var (first, last, failure): (Int64, Int64, Int32) = (0, 0, 0)
        FITSLibrary.run { _ = ffghadll(file.handle, &first, nil, &last, &failure) }
        guard failure == 0, Int(first) <= size else { throw unreadable() }
        return Int(first)..<min(Int(last), size)
    }

    private func unreadable() -> ImageError {
        ImageError(.unreadable, "\(location): cannot be read any more; was the file changed or removed?")
    }
}
