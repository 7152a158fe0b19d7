package import CommandLineKit
import ScanSecurity

/// SHA-256 of a file: of the SHA-256 values of its pieces of ``JobFile/pieceSize``, so that pieces may arrive in any order
/// and none is read twice.
package enum ContentDigest {
    /// That of one piece.
    package static func piece(_ bytes: [UInt8]) throws(CommandError) -> [UInt8] {
        do throws(KeyError) {
            return try SHA256Digest.of(bytes)
        } catch {
            throw CommandError(.failure, "\(error)")
        }
    }

    /// That of a file whose pieces have these.
    package static func whole(_ pieces: [[UInt8]]) throws(CommandError) -> [UInt8] { try piece(Array(pieces.joined())) }
}
