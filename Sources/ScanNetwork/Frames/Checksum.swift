import CXXHash

/// XXH3-64 of bytes, seed 0.
package func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 { XXH3_64bits(bytes.baseAddress, bytes.count) }
