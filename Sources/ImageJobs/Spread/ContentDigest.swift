package import CommandLineKit
import ScanSecurity

/// Content digest of a file: SHA-256 of the SHA-256 values of its pieces of ``JobFile/pieceSize``, so that pieces may
/// arrive in any order and are read only once.
package enum ContentDigest {
    /// Returns the digest of one piece.
    package static func piece(_ bytes: [UInt8]) throws(CommandError) -> [UInt8] {
        do throws(KeyError) {
            return try SHA256Digest.of(bytes)
        } catch {
            throw CommandError(.failure, "\(error)")
        }
    }

    /// Returns the digest of a file from the digests of its pieces.
    package static func whole(_ pieces: [[UInt8]]) throws(CommandError) -> [UInt8] { try piece(Array(pieces.joined())) }
}
