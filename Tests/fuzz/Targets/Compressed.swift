import ScanCluster

@testable import ScanNetwork

extension FuzzTarget {
    /// Compressed bulk bytes as a node takes them from a member. Three bytes of the input give the number of bytes that
    /// they should expand to; the rest is the compressed form. If the highest bit of the number is set, the rest is
    /// compressed, and must come back.
    static let compressed = FuzzTarget(name: "compressed") { bytes in
        var input = FuzzInput(bytes)
        let number = (0..<3).reduce(0) { total, shift in total | Int(input.byte()) << (8 * shift) }
        let count = number & 0x7fffff
        let rest = input.rest
        func bulk(_ bytes: UnsafeRawBufferPointer) -> BulkBytes {
            BulkBytes(byteCount: bytes.count) { $0.copyMemory(from: bytes) }
        }
        if number != count {
            guard let compressed = BulkCompression.compress(bulk(rest), width: 1 << (count & 3)) else { return }
            precondition(compressed.isCompressed && compressed.count < rest.count)
            let expanded = try? BulkCompression.expand(compressed, to: rest.count)
            precondition(expanded?.withUnsafeBytes { $0.elementsEqual(rest) } == true)
            return
        }
        do {
            let expanded = try BulkCompression.expand(bulk(rest), to: count)
            precondition(expanded.count == count && expanded.unpackedCount == nil)
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    } seeds: {
        var seeds: [String: [UInt8]] = [:]
        // Smooth floats; and more than a block of bytes that repeat, with some that do not.
        let floats = (0..<3000).flatMap { index in
            withUnsafeBytes(of: Float(1000 + index % 50).bitPattern.littleEndian) { Array($0) }
        }
        let long = (0..<1_100_003).map { UInt8(truncatingIfNeeded: $0 < 700 ? $0 &* $0 : $0 >> 12) }
        for (name, bytes, width) in [("floats", floats, 4), ("two-blocks", long, 8)] {
            let bulk = BulkBytes(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
            guard let compressed = BulkCompression.compress(bulk, width: width) else { continue }
            let count = bytes.count
            let head = [UInt8(count & 255), UInt8(count >> 8 & 255), UInt8(count >> 16)]
            seeds[name] = head + compressed.withUnsafeBytes { Array($0) }
        }
        // A block that is not compressed.
        seeds["block"] = [5, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 1, 2, 3, 4, 5]
        seeds["back-and-forth"] = [2, 0, 128] + floats.prefix(1001)
        return seeds
    }
}
