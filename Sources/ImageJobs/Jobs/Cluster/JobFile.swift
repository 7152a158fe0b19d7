import CommandLineKit
import Foundation
package import ScanBasics
import ScanCluster
import ScanNetwork

/// An output of a job that can be fetched.
package struct JobFile: Codable, Equatable, Sendable {
    /// Absolute path on the node.
    package var name: String
    package var byteCount: Int
    /// ``JobFileChecksum`` of the file.
    package var checksum: UInt64

    /// Number of bytes that are read at a time.
    package static let pieceSize = 4 << 20
    /// Maximum number of files that are listed for a job.
    package static let limit = 100_000

    /// Creates the description of an open file, and computes its checksum.
    /// - Throws: ``ConfinedPath/Refusal`` if it cannot be read.
    package init(_ written: WrittenFile, _ file: OpenDescriptor) throws {
        var (sum, total) = (JobFileChecksum(), 0)
        while case let piece = try file.bytes(at: Int64(total), count: Self.pieceSize), !piece.isEmpty {
            sum.add(piece)
            total += piece.count
        }
        (name, byteCount, checksum) = (written.path, total, sum.value)
    }

    /// Returns whether a name sent by a node may be used below a folder of this machine: no component leads out of the
    /// folder or is hidden, as configuration files of shells and ssh are.
    package static func isUsable(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") } && name.unicodeScalars.allSatisfy(\.isPrintable)
    }

    /// Returns names relative to the common folder of the files, under which they are stored on this machine.
    package static func localNames(of names: [String]) -> [String] {
        let folders = names.map { $0.split(separator: "/").dropLast() }
        guard var common = folders.first else { return [] }
        for folder in folders {
            let length = zip(common, folder).prefix { $0 == $1 }.count
            common = common.prefix(length)
        }
        return names.map { $0.split(separator: "/").dropFirst(common.count).joined(separator: "/") }
    }
}

/// Checksum of a file that is read in pieces of ``JobFile/pieceSize``: XXH3 of the XXH3 values of the pieces.
package struct JobFileChecksum {
    private var sums: [UInt8] = []

    package mutating func add(_ piece: [UInt8]) {
        let sum = piece.withUnsafeBytes(checksum)
        sums += (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }

    package var value: UInt64 { sums.withUnsafeBytes(checksum) }
}

/// Size and modification time of an input as the submitter sees it, by which a node determines whether it reads the
/// same file.
package struct InputStamp: Codable, Equatable, Sendable {
    /// Absolute path.
    package var path: String
    package var byteCount: Int
    /// Modification time in nanoseconds since 1970.
    package var modified: Int

    /// Reads the stamp of the file, or returns nil if there is no such regular file.
    package init?(_ path: String) {
        guard let status = FileStatus(path: path), status.kind == .regular else { return nil }
        self.init(path, status)
    }

    package init(_ path: String, _ status: FileStatus) {
        (self.path, byteCount, modified) = (path, Int(status.size), Int(status.modified))
    }

    /// Maximum number of stamps in a submission.
    package static let limit = 64
}
