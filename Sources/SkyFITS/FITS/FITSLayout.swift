internal import CFITSIO
import Foundation
import ScanBasics

/// Where the HDUs of a file begin, so that one of them is opened without reading the headers before it.
package struct FITSLayout: Hashable, Sendable {
    /// What tells a file from another that has taken its name or was written into it since.
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
    /// The first byte of each HDU's header.
    package let starts: [Int64]

    /// The layout of a file that has been read to its last HDU, of which it has `count`; nil if it has been removed.
    init?(of file: FITSFile, count: Int) {
        guard let identity = Identity(file.path) else { return nil }
        let facts = file.handle.pointee.Fptr.pointee
        guard count > 0, count <= facts.maxhdu + 1 else { return nil }
        (self.identity, starts) = (identity, (0..<count).map { facts.headstart[$0] })
    }

    /// Whether the file at `path` is the same, and has not been written since.
    package func isValid(for path: String) -> Bool { Identity(path) == identity }
}

extension FITSFile {
    /// Tells CFITSIO where the HDUs begin, if the file is still the one with this layout.
    package func use(_ layout: FITSLayout) {
        let facts = handle.pointee.Fptr
        // CFITSIO's table of positions grows as HDUs are found; a file that needs more is read in order.
        guard let facts, layout.isValid(for: path), layout.starts.count < Int(facts.pointee.MAXHDU) else { return }
        for (index, start) in layout.starts.enumerated() { facts.pointee.headstart[index] = start }
        facts.pointee.maxhdu = Int32(layout.starts.count - 1)
        starts = layout.starts
    }
}
