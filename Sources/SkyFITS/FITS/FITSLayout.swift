internal import CFITSIO
import Foundation
import ScanBasics

/// Positions of the HDUs of a file, so that one of them can be opened without reading the headers before it.
package struct FITSLayout: Hashable, Sendable {
    /// Identifies a file, to detect that it has been replaced or modified.
    private struct Identity: Hashable {
        var device: UInt64
        var number: UInt64
        var size: Int64
        var seconds: Int
        var nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
            size = Int64(status.st_size)
            let time = FileStatus.modificationTime(status)
            (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
        }
    }

    private let identity: Identity
    /// Offset of each HDU's header.
    package let starts: [Int64]

    /// Creates the layout of a file with `count` HDUs that has been read to the last one; nil if the file has been
    /// removed.
    init?(of file: FITSFile, count: Int) {
        guard let identity = Identity(file.path) else { return nil }
        let facts = file.handle.pointee.Fptr.pointee
        guard count > 0, count <= facts.maxhdu + 1 else { return nil }
        (self.identity, starts) = (identity, (0..<count).map { facts.headstart[$0] })
    }

    /// Whether the file at `path` is the same file and has not been modified.
    package func isValid(for path: String) -> Bool { Identity(path) == identity }
}

extension FITSFile {
    /// Passes the positions of the HDUs to CFITSIO, if the file still has this layout.
    package func use(_ layout: FITSLayout) {
        let facts = handle.pointee.Fptr
        // CFITSIO's table of positions grows as HDUs are found; a file that exceeds its size is read in order.
        guard let facts, layout.isValid(for: path), layout.starts.count < Int(facts.pointee.MAXHDU) else { return }
        for (index, start) in layout.starts.enumerated() { facts.pointee.headstart[index] = start }
        facts.pointee.maxhdu = Int32(layout.starts.count - 1)
        starts = layout.starts
    }
}
