internal import CSkyfarm
internal import CZstd
package import ScanCluster
internal import ScanMemory

/// Compresses bulk bytes that are numbers for a slow link, without loss: the bytes of many numbers are sorted by their
/// place in the number, so that exponents, which are alike, lie together, and compressed with Zstandard's level 1.
///
/// The bytes begin with the width of a number and three zero bytes. Blocks of 1 MiB of the numbers follow, the last one
/// shorter: the length of the block's form (4 bytes, little-endian), and the form. That is the block itself if it has the
/// block's length; else a Zstandard frame of the block's planes, first the first byte of each number, then the second
/// byte of each, and so on, and at last the bytes that are no whole number.
package enum BulkCompression {
    /// Names the form; a node states it if it expands it.
    package static let form = "planes-zstd/1"

    private static let headSize = 4
    private static let lengthSize = 4
    private static let blockSize = 1 << 20
    /// Widths of numbers that are accepted.
    private static let widths: Set<Int> = [1, 2, 4, 8]

    /// Compressed bytes that a peer sent and that are not in this form.
    package struct Malformed: Error, CustomStringConvertible {
        package let description: String
    }

    /// Compresses numbers of `width` bytes: 1, 2, 4 or 8. Takes milliseconds per megabyte.
    /// - Returns: the compressed bytes; nil if they would not be shorter.
    package static func compress(_ bytes: BulkBytes, width: Int) -> BulkBytes? {
        precondition(widths.contains(width), "numbers of \(width) bytes")
        precondition(bytes.unpackedCount == nil, "the bytes are packed")
        guard bytes.count > headSize + lengthSize, let context = ZSTD_createCCtx() else { return nil }
        defer { ZSTD_freeCCtx(context) }
        let room = LargeMemory.allocate(byteCount: bytes.count)
        defer { LargeMemory.deallocate(room) }
        let planes = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 64)
        defer { planes.deallocate() }
        room.storeBytes(of: UInt32(width).littleEndian, as: UInt32.self)
        var end = headSize
        let isShorter = bytes.withUnsafeBytes { bytes in
            for block in blocks(of: bytes.count) {
                let block = UnsafeRawBufferPointer(rebasing: bytes[block])
                let start = end + lengthSize
                // If the forms need as much room as the bytes, these do not become shorter.
                guard start < room.count else { return false }
                // A compressed form is shorter than its block.
                let space = UnsafeMutableRawBufferPointer(rebasing: room[start...].prefix(block.count - 1))
                split(block, into: planes, width: width)
                var length = ZSTD_compressCCtx(
                    context, space.baseAddress, space.count, planes.baseAddress, block.count, 1)
                if ZSTD_isError(length) != 0 {
                    guard block.count < room.count - start else { return false }
                    UnsafeMutableRawBufferPointer(rebasing: room[start...]).copyMemory(from: block)
                    length = block.count
                }
                room.storeBytes(of: UInt32(length).littleEndian, toByteOffset: end, as: UInt32.self)
                end = start + length
            }
            return true
        }
        guard isShorter else { return nil }
        return BulkBytes(compressedCount: end, unpackedCount: bytes.count) {
            $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: room[..<end]))
        }
    }

    /// The `count` bytes that were compressed. `bytes` may come from the network; the caller has room for `count` bytes.
    /// - Throws: ``Malformed`` if the bytes are not `count` bytes in compressed form.
    package static func expand(_ bytes: BulkBytes, to count: Int) throws -> BulkBytes {
        guard let context = ZSTD_createDCtx() else { throw Malformed(description: "no memory to expand bulk bytes") }
        defer { ZSTD_freeDCtx(context) }
        return try BulkBytes(byteCount: count) { target in
            try bytes.withUnsafeBytes { try expand($0, into: target, context) }
        }
    }

    private static func expand(
        _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, _ context: OpaquePointer
    ) throws(Malformed) {
        guard bytes.count >= headSize else { throw Malformed(description: "compressed bulk bytes end at once") }
        let width = Int(bytes.u32(0))
        guard widths.contains(width) else {
            throw Malformed(description: "compressed bulk bytes have numbers of \(width) bytes")
        }
        let planes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(blockSize, max(1, target.count)), alignment: 64)
        defer { planes.deallocate() }
        var end = headSize
        for range in blocks(of: target.count) {
            guard bytes.count - end >= lengthSize else { throw Malformed(description: "compressed bulk bytes are cut") }
            let length = Int(bytes.u32(end))
            end += lengthSize
            guard length <= range.count, length <= bytes.count - end else {
                throw Malformed(description: "\(length) compressed bytes of a block of \(range.count) bytes")
            }
            let form = UnsafeRawBufferPointer(rebasing: bytes[end..<end + length])
            let block = UnsafeMutableRawBufferPointer(rebasing: target[range])
            end += length
            if length == range.count {
                block.copyMemory(from: form)
                continue
            }
            try decompress(form, into: UnsafeMutableRawBufferPointer(rebasing: planes[..<range.count]), context)
            join(planes, into: block, width: width)
        }
        guard end == bytes.count else {
            throw Malformed(description: "\(bytes.count - end) bytes follow compressed bulk bytes")
        }
    }

    /// Decompresses one frame, which must fill `target`.
    private static func decompress(
        _ frame: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, _ context: OpaquePointer
    ) throws(Malformed) {
        // One frame of the present format: the library also reads several, those to be skipped, and older formats.
        guard frame.count >= 4, frame.u32(0) == ZSTD_MAGICNUMBER,
            ZSTD_findFrameCompressedSize(frame.baseAddress, frame.count) == frame.count
        else { throw Malformed(description: "a compressed block is no Zstandard frame") }
        let count = ZSTD_decompressDCtx(context, target.baseAddress, target.count, frame.baseAddress, frame.count)
        guard ZSTD_isError(count) == 0, count == target.count else {
            throw Malformed(description: "a compressed block does not expand to \(target.count) bytes")
        }
    }

    private static func blocks(of count: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: blockSize).map { $0..<min($0 + blockSize, count) }
    }

    private static func split(
        _ block: UnsafeRawBufferPointer, into planes: UnsafeMutableRawBufferPointer, width: Int
    ) { sort(block, into: planes, width: width, by: skyfarm_split_planes) }

    private static func join(
        _ planes: UnsafeMutableRawBufferPointer, into block: UnsafeMutableRawBufferPointer, width: Int
    ) {
        let planes = UnsafeRawBufferPointer(rebasing: planes[..<block.count])
        sort(planes, into: block, width: width, by: skyfarm_join_planes)
    }

    /// Sorts the bytes of all whole numbers of `source`; those after them keep their place.
    private static func sort(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, width: Int,
        by sorting: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int, CInt) -> Void
    ) {
        let whole = source.count / width
        guard let first = source.bindMemory(to: UInt8.self).baseAddress,
            let targetFirst = target.bindMemory(to: UInt8.self).baseAddress
        else { return }
        sorting(first, targetFirst, whole, CInt(width))
        for index in whole * width..<source.count { target[index] = source[index] }
    }
}
