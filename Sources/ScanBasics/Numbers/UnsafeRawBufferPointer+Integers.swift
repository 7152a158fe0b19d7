/// Little-endian integers at offsets in bytes, which need not be aligned. An offset beyond the end is a programming error.
extension UnsafeRawBufferPointer {
    /// Reads 16 bits.
    @inlinable package func u16(_ offset: Int) -> UInt16 {
        UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// Reads 32 bits.
    @inlinable package func u32(_ offset: Int) -> UInt32 {
        UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Reads 64 bits.
    @inlinable package func u64(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns the bytes from an offset to the end.
    @inlinable package func from(_ offset: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[offset...])
    }
}
