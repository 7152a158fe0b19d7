internal import CZstd
package import ScanCluster
internal import ScanBasics

/// Compresses bulk bytes that are numbers for a slow link, without loss, in one of two forms, which Docs/Protocol.md
/// defines: as the planes of any numbers (``PlaneBlock``), or of floats that are scaled integers as these
/// (``ScaledBlock``).
///
/// The bytes begin with the width of a number and a byte that is 0 for the first form, 1 for the second, and two zero
/// bytes. Blocks of 1 MiB of the numbers follow, the last one shorter: the length of the block's form (4 bytes,
/// little-endian), and the form. That is the block itself if it has the block's length.
package enum BulkCompression {
    /// Names the form for any numbers; a node states it if it expands it.
    package static let form = "planes-zstd/1"
    /// Names the form for floats that are scaled integers.
    package static let scaledForm = "scaled-integers/1"

    /// How bytes are compressed.
    package enum Method: Sendable {
        /// Any numbers, as planes of their bytes. A few hundred megabytes per second.
        case planes
        /// Floats that are scaled integers, each in a few bits. Some gigabytes per second.
        case bits
        /// The same as planes of the integers' bytes: shorter than both, as slow as `planes`.
        case integers
    }

    private static let headSize = 4
    private static let lengthSize = 4
    static let blockSize = 1 << 20
    /// Widths of numbers that are accepted.
    private static let widths: Set<Int> = [1, 2, 4, 8]
    /// The head of the second form: numbers of 4 bytes, and 1.
    private static let scaledHead: UInt32 = 0x104

    /// Compressed bytes that a peer sent and that are not in this form.
    package struct Malformed: Error, CustomStringConvertible {
        package let description: String
    }

    /// Whether the bytes seem to be floats that are scaled integers and become shorter as such. Reads a few thousand of the
    /// bytes.
    package static func isScaled(_ bytes: BulkBytes) -> Bool {
        bytes.unpackedCount == nil && bytes.withUnsafeBytes { ScaledBlock.isScaled($0) }
    }

    /// Compresses numbers of `width` bytes: 1, 2, 4 or 8; floats unless the method is `planes`.
    /// - Returns: the compressed bytes; nil if they would not be shorter.
    package static func compress(_ bytes: BulkBytes, width: Int, method: Method = .planes) -> BulkBytes? {
        precondition(widths.contains(width), "numbers of \(width) bytes")
        precondition(bytes.unpackedCount == nil, "the bytes are packed")
        switch method {
        case .planes:
            guard let coder = PlaneBlock(width: width) else { return nil }
            return compress(bytes, head: UInt32(width)) { coder.encode($0, into: $1) }
        case .bits, .integers:
            precondition(width == MemoryLayout<Float>.size, "scaled integers are floats")
            guard let coder = bytes.withUnsafeBytes({ ScaledBlock(isDense: method == .integers, of: $0) }) else {
                return nil
            }
            return compress(bytes, head: scaledHead) { coder.encode($0, into: $1) }
        }
    }

    /// `encode` writes the form of a block into memory that is shorter than the block, and returns its length; nil if there
    /// is no room.
    private static func compress(
        _ bytes: BulkBytes, head: UInt32,
        _ encode: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Int?
    ) -> BulkBytes? {
        guard bytes.count > headSize + lengthSize else { return nil }
        let room = LargeMemory.allocate(byteCount: bytes.count)
        defer { LargeMemory.deallocate(room) }
        room.storeBytes(of: head.littleEndian, as: UInt32.self)
        var end = headSize
        let isShorter = bytes.withUnsafeBytes { bytes in
            for block in blocks(of: bytes.count) {
                let block = UnsafeRawBufferPointer(rebasing: bytes[block])
                let start = end + lengthSize
                // If the forms need as much room as the bytes, these do not become shorter.
                guard start < room.count else { return false }
                let rest = UnsafeMutableRawBufferPointer(rebasing: room[start...])
                var length = encode(block, UnsafeMutableRawBufferPointer(rebasing: rest.prefix(block.count - 1)))
                if length == nil {
                    guard block.count < rest.count else { return false }
                    rest.copyMemory(from: block)
                    length = block.count
                }
                room.storeBytes(of: UInt32(length ?? 0).littleEndian, toByteOffset: end, as: UInt32.self)
                end = start + (length ?? 0)
            }
            return end < bytes.count
        }
        guard isShorter else { return nil }
        return BulkBytes(compressedCount: end, unpackedCount: bytes.count) {
            $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: room[..<end]))
        }
    }

    /// The `count` bytes that were compressed. `bytes` may come from the network; the caller has room for `count` bytes.
    /// - Throws: ``Malformed`` if the bytes are not `count` bytes in compressed form.
    package static func expand(_ bytes: BulkBytes, to count: Int) throws -> BulkBytes {
        try BulkBytes(byteCount: count) { target in
            try bytes.withUnsafeBytes { try expand($0, into: target) }
        }
    }

    private static func expand(
        _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) throws(Malformed) {
        guard bytes.count >= headSize else { throw Malformed(description: "compressed bulk bytes end at once") }
        let head = bytes.u32(0)
        let isScaled = head == scaledHead
        let width = isScaled ? MemoryLayout<Float>.size : Int(head)
        guard widths.contains(width) else {
            throw Malformed(description: "compressed bulk bytes have numbers of \(width) bytes")
        }
        let expander = try BlockExpander(width: width, isScaled: isScaled, largest: min(blockSize, target.count))
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
            if length == range.count { block.copyMemory(from: form) } else { try expander.expand(form, into: block) }
        }
        guard end == bytes.count else {
            throw Malformed(description: "\(bytes.count - end) bytes follow compressed bulk bytes")
        }
    }

    private static func blocks(of count: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: blockSize).map { $0..<min($0 + blockSize, count) }
    }
}
