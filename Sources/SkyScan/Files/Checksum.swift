internal import CXXHash
internal import ScanNetwork

/// XXH3-64 checksums of bytes and of coded values, for the journal.
package enum Checksum {
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 { XXH3_64bits(bytes.baseAddress, bytes.count) }

    /// The checksum of the coded form of `value`.
    package static func of(_ value: some Encodable) throws -> UInt64 { try WireEncoder().encode(value) { of($0) } }

    /// The checksum of two checksums, in this order.
    static func of(_ first: UInt64, _ second: UInt64) -> UInt64 {
        withUnsafeBytes(of: (first.littleEndian, second.littleEndian)) { of($0) }
    }
}
