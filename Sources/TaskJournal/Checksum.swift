internal import CXXHash

/// XXH3-64 checksums of bytes, for journals.
package enum Checksum {
    /// Returns the checksum of the bytes.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 { XXH3_64bits(bytes.baseAddress, bytes.count) }

    /// Returns the checksum of two checksums, in this order.
    package static func of(_ first: UInt64, _ second: UInt64) -> UInt64 {
        withUnsafeBytes(of: (first.littleEndian, second.littleEndian)) { of($0) }
    }
}
