internal import Foundation
internal import ScanBasics
package import ScanCluster
internal import ScanNetwork
internal import SkyFITS

/// Whole files of a coordinator, one after the other, as the bulk bytes of a task: the origin of a reference whose part is
/// ``part``. A node finds them below the folders that its owner allows, as it finds copies of images; the engine compares
/// the checksum of what it reads.
package struct WholeFiles: Codable, Equatable, Sendable {
    /// The part of references to whole files.
    static let part = Array("whole".utf8)

    private var stamps: [NodeFileRequest.Stamp] = []

    /// The files of these names, as they are now; nil if one of them is not there.
    package init?(_ names: [String]) {
        for name in names {
            guard let stamp = NodeFileRequest.Stamp(of: name) else { return nil }
            stamps.append(stamp)
        }
    }

    /// The reference by which a node may read the files; nil if they have no coded form.
    package var reference: BulkReference? {
        (try? WireEncoder().encode(self)).map { BulkReference(origin: $0, part: Self.part) }
    }

    /// Reads the files below `folders`, `count` bytes together.
    /// - Throws: ``ImageError`` if one of them is not there, or the sizes are others; `CancellationError`.
    func bytes(in folders: DataFolders, count: Int) throws -> BulkBytes {
        var files: [(file: OpenDescriptor, size: Int)] = []
        var rest = count
        for stamp in stamps {
            guard let file = folders.file(at: stamp.path, size: stamp.size, modified: stamp.modified),
                stamp.size <= rest
            else { throw ImageError(.missing, "\(stamp.path.prefix(4096)): is not below a folder of --data") }
            files.append((file, Int(stamp.size)))
            rest -= Int(stamp.size)
        }
        guard rest == 0 else { throw ImageError(.unreadable, "the files do not have \(count) bytes") }
        return try BulkBytes(byteCount: count) { bytes in
            var start = 0
            for (file, size) in files {
                try Self.read(file, to: UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + size]))
                start += size
            }
        }
    }

    private static let pieceSize = 4 << 20

    private static func read(_ file: OpenDescriptor, to bytes: UnsafeMutableRawBufferPointer) throws {
        var done = 0
        while done < bytes.count {
            if ScanCancellation.current?.isCancelled == true { throw CancellationError() }
            let piece = UnsafeMutableRawBufferPointer(rebasing: bytes[done...].prefix(pieceSize))
            guard try file.read(at: Int64(done), into: piece) == piece.count else {
                throw ImageError(.unreadable, "a file was made shorter while it was read")
            }
            done += piece.count
        }
    }
}
