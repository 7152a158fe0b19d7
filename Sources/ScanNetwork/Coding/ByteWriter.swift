/// A growing sequence of bytes; numbers are little-endian. Its memory is kept when it is cleared.
package struct ByteWriter: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    /// Number of bytes written.
    package private(set) var count = 0

    package init(capacity: Int = 512) {
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// Bytes that fit before the memory grows.
    package var capacity: Int { memory.count }

    /// The bytes written so far; valid until the next write.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    /// Removes all bytes, and frees the memory if it has grown beyond `limit`.
    package mutating func clear(keeping limit: Int = 1 << 20) {
        count = 0
        if memory.count > limit {
            memory.deallocate()
            memory = .allocate(byteCount: 512, alignment: 16)
        }
    }

    /// Removes the first `number` bytes and moves the others down.
    package mutating func removeFirst(_ number: Int) {
        // Copying between overlapping regions is allowed.
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[number...]))
        count -= number
    }

    /// Removes the bytes of a range and moves those behind it down.
    package mutating func remove(_ range: Range<Int>) {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[range.upperBound...])
        // Copying between overlapping regions is allowed.
        UnsafeMutableRawBufferPointer(rebasing: memory[range.lowerBound...]).copyMemory(from: rest)
        count -= range.count
    }

    /// Makes room for `additional` bytes.
    package mutating func reserve(_ additional: Int) {
        if count + additional > memory.count { grow(by: additional) }
    }

    @inline(never)
    private mutating func grow(by additional: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(memory.count * 2, count + additional), alignment: 16)
        larger.copyMemory(from: bytes)
        memory.deallocate()
        memory = larger
    }

    package mutating func put(_ value: some FixedWidthInteger & BitwiseCopyable) {
        let size = MemoryLayout.size(ofValue: value)
        reserve(size)
        memory.storeBytes(of: value.littleEndian, toByteOffset: count, as: type(of: value))
        count += size
    }

    package mutating func put(_ value: Float) { put(value.bitPattern) }

    package mutating func put(_ value: Double) { put(value.bitPattern) }

    package mutating func put(raw bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Seven bits per byte, the lowest first; the high bit is set if more follow.
    package mutating func put(varint value: UInt64) {
        reserve(10)
        var rest = value
        while rest >= 0x80 {
            memory[count] = UInt8(truncatingIfNeeded: rest) | 0x80
            count += 1
            rest >>= 7
        }
        memory[count] = UInt8(truncatingIfNeeded: rest)
        count += 1
    }

    /// Length as a varint, then UTF-8.
    package mutating func put(_ string: String) {
        var string = string
        string.withUTF8 { utf8 in
            put(varint: UInt64(utf8.count))
            put(raw: UnsafeRawBufferPointer(utf8))
        }
    }

    /// Overwrites bytes that were written before.
    package mutating func patch(_ value: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
        precondition(offset + MemoryLayout.size(ofValue: value) <= count)
        memory.storeBytes(of: value.littleEndian, toByteOffset: offset, as: type(of: value))
    }
}
