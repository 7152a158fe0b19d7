internal import CNumbers
internal import CZstd

/// Encodes a block of numbers as planes: first the first byte of each number, then the second byte of each, and so on, and
/// at last the bytes that are no whole number, in a Zstandard frame of level 1. Exponents, which are alike, lie together.
final class PlaneBlock {
    private let context: OpaquePointer
    private let planes: BytePlanes

    /// An encoder for numbers of `width` bytes; nil if there is no memory.
    init?(width: Int) {
        guard let context = ZSTD_createCCtx() else { return nil }
        self.context = context
        planes = BytePlanes(width: width, largest: BulkCompression.blockSize)
    }

    deinit { ZSTD_freeCCtx(context) }

    /// - Returns: the number of bytes; nil if there is no room for them.
    func encode(_ block: UnsafeRawBufferPointer, into space: UnsafeMutableRawBufferPointer) -> Int? {
        compress(planes.split(block), into: space)
    }

    /// As ``encode(_:into:)``, but of the first `used` bytes of each number only, and of `rest`.
    func encode(
        _ numbers: UnsafeRawBufferPointer, used: Int, rest: UnsafeRawBufferPointer,
        into space: UnsafeMutableRawBufferPointer
    ) -> Int? {
        compress(planes.split(numbers, used: used, rest: rest), into: space)
    }

    private func compress(_ bytes: UnsafeRawBufferPointer, into space: UnsafeMutableRawBufferPointer) -> Int? {
        let length = ZSTD_compressCCtx(context, space.baseAddress, space.count, bytes.baseAddress, bytes.count, 1)
        return ZSTD_isError(length) == 0 ? length : nil
    }
}

/// Memory in which the bytes of numbers are sorted by their place in the number.
final class BytePlanes {
    let width: Int
    private let memory: UnsafeMutableRawBufferPointer

    /// Memory for blocks of at most `largest` bytes.
    init(width: Int, largest: Int) {
        self.width = width
        memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, largest), alignment: 64)
    }

    deinit { memory.deallocate() }

    /// The planes of a block, and its bytes that are no whole number.
    func split(_ block: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let whole = block.count / width * width
        return split(
            UnsafeRawBufferPointer(rebasing: block[..<whole]), used: width,
            rest: UnsafeRawBufferPointer(rebasing: block[whole...]))
    }

    /// The planes of the first `used` bytes of each number, and `rest`.
    func split(_ numbers: UnsafeRawBufferPointer, used: Int, rest: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let whole = numbers.count / width
        if whole > 0, let from = numbers.bindMemory(to: UInt8.self).baseAddress,
            let to = memory.bindMemory(to: UInt8.self).baseAddress
        {
            skyfarm_split_planes(from, to, whole, CInt(width))
        }
        for (index, byte) in rest.enumerated() { memory[whole * used + index] = byte }
        return UnsafeRawBufferPointer(rebasing: memory[..<(whole * used + rest.count)])
    }

    /// Memory for the planes of a block of `count` bytes, of which `used` bytes of each number are stored.
    func space(for count: Int, used: Int? = nil) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: memory[..<(count - count / width * (width - (used ?? width)))])
    }

    /// Joins the planes in ``space(for:used:)`` to numbers; bytes of which there are no planes are zero.
    func join(into block: UnsafeMutableRawBufferPointer, used: Int? = nil) {
        let whole = block.count / width
        let used = used ?? width
        for index in whole * width..<block.count { block[index] = memory[index - whole * (width - used)] }
        guard whole > 0, let from = memory.bindMemory(to: UInt8.self).baseAddress,
            let to = block.bindMemory(to: UInt8.self).baseAddress
        else { return }
        (from + whole * used).update(repeating: 0, count: whole * (width - used))
        skyfarm_join_planes(from, to, whole, CInt(width))
    }
}
