import Foundation
import ScanBasics

/// What tells the file of an image from another one at the same path, on this machine or on another: its size, the time
/// of its last change, and the checksum of the image's header. It is taken without reading a pixel.
package struct FileIdentity: Codable, Hashable, Sendable {
    /// Bytes of the file.
    package var size: Int64
    /// Nanoseconds since 1970.
    package var modified: Int64
    /// XXH3-64 of the header of the image's HDU, as stored.
    package var header: UInt64
}

extension StoredBytes {
    /// The identity of the open file of `image`.
    /// - Throws: ``ImageError`` with `unreadable`.
    package func identity(of image: FITSImage) throws -> FileIdentity {
        var status = stat()
        let start = self.image.range?.lowerBound ?? 0
        guard fstat(file.number, &status) == 0, start <= image.headerEnd else { throw unreadable }
        let header = try checksum(of: start..<image.headerEnd) {}
        return FileIdentity(
            size: Int64(status.st_size), modified: FileStatus.modified(status), header: header)
    }
}
