internal import CXXHash
internal import Foundation
internal import ScanBasics

/// XXH3-64 checksums of bytes, for journals.
package enum Checksum {
    /// Returns the checksum of the bytes.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 { XXH3_64bits(bytes.baseAddress, bytes.count) }

    /// Reads a file in pieces.
    /// - Parameters:
    ///   - path: the file.
    ///   - checkCancellation: is called before each piece; its errors end the reading.
    /// - Returns: the checksum of its bytes.
    /// - Throws: `ConfinedPath.Refusal` if the file cannot be read.
    package static func ofFile(_ path: String, checkCancellation: () throws -> Void) throws -> UInt64 {
        let file = OpenDescriptor(open(path, O_RDONLY | O_CLOEXEC))
        guard file.number >= 0 else { throw ConfinedPath.Refusal(path: path, errno: errno) }
        guard let state = XXH3_createState() else { throw ConfinedPath.Refusal(path: path, errno: ENOMEM) }
        defer { XXH3_freeState(state) }
        XXH3_64bits_reset(state)
        var offset: Int64 = 0
        while true {
            try checkCancellation()
            let piece = try file.bytes(at: offset, count: 1 << 20)
            if piece.isEmpty { return XXH3_64bits_digest(state) }
            _ = piece.withUnsafeBytes { XXH3_64bits_update(state, $0.baseAddress, $0.count) }
            offset += Int64(piece.count)
        }
    }

    /// Returns the checksum of two checksums, in this order.
    package static func of(_ first: UInt64, _ second: UInt64) -> UInt64 {
        withUnsafeBytes(of: (first.littleEndian, second.littleEndian)) { of($0) }
    }
}
