import Foundation
import ScanBasics

/// Identifies the file of an image, on this or another machine, without reading a pixel: the size, the modification
/// time, and the checksum of the image's header.
package struct FileIdentity: Codable, Hashable, Sendable {
    /// Size of the file in bytes.
    package var size: Int64
    /// Modification time in nanoseconds since 1970.
    package var modified: Int64
    /// XXH3-64 checksum of the header of the image's HDU, as stored.
    package var header: UInt64
}

extension StoredBytes {
    /// Returns the identity of the open file of `image`.
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
