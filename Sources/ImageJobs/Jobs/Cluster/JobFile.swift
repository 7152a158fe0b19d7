import CommandLineKit
import Foundation
package import ScanBasics
import ScanCluster
import ScanNetwork

/// An output of a job, to be fetched.
package struct JobFile: Codable, Equatable, Sendable {
    /// Its absolute name on the node.
    package var name: String
    package var byteCount: Int
    /// ``JobFileChecksum`` of its bytes.
    package var checksum: UInt64

    /// Bytes that are read at a time.
    package static let pieceSize = 4 << 20
    /// Most files of a job that are listed.
    package static let limit = 100_000

    /// A file that is open.
    /// - Throws: ``ConfinedPath/Refusal`` if it cannot be read.
    package init(_ written: WrittenFile, _ file: OpenDescriptor) throws {
        var (sum, total) = (JobFileChecksum(), 0)
        while case let piece = try file.bytes(at: Int64(total), count: Self.pieceSize), !piece.isEmpty {
            sum.add(piece)
            total += piece.count
        }
        (name, byteCount, checksum) = (written.path, total, sum.value)
    }

    /// Whether a name that a node sends may become one below a folder of this machine: no component leads elsewhere, or
    /// is hidden, as what a shell or ssh reads.
    package static func isUsable(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") } && name.unicodeScalars.allSatisfy(\.isPrintable)
    }

    /// Names below which the files are kept on this machine: their absolute names without what they have in common.
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

/// The checksum of a file that is read in pieces of ``JobFile/pieceSize``: XXH3 of the pieces' XXH3 values.
package struct JobFileChecksum {
    private var sums: [UInt8] = []

    package mutating func add(_ piece: [UInt8]) {
        let sum = piece.withUnsafeBytes(checksum)
        sums += (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }

    package var value: UInt64 { sums.withUnsafeBytes(checksum) }
}

/// An input as the submitter sees it, by which a node tells whether it reads the same file.
package struct InputStamp: Codable, Equatable, Sendable {
    /// Absolute.
    package var path: String
    package var byteCount: Int
    /// Nanoseconds since 1970.
    package var modified: Int

    /// The file as it is now; nil if there is none.
    package init?(_ path: String) {
        guard let status = FileStatus(path: path), status.kind == .regular else { return nil }
        self.init(path, status)
    }

    package init(_ path: String, _ status: FileStatus) {
        (self.path, byteCount, modified) = (path, Int(status.size), Int(status.modified))
    }

    /// Most stamps of a submission.
    package static let limit = 64
}
