import ScanCluster

@testable import ScanNetwork
import ScanCompression

extension FuzzTarget {
    private static let methods: [BulkCompression.Method] = [.planes, .bits, .integers, .bits]

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
            let method = count & 3 == 2 ? methods[count >> 2 & 3] : .planes
            guard let compressed = BulkCompression.compress(bulk(rest), width: 1 << (count & 3), method: method)
            else { return }
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
        // Scaled integers, some floats that are none, and a byte beyond them.
        let scaled = (0..<700).flatMap { index in
            let float: Float = index % 300 == 1 ? .nan : 100.3 + 0.37 * Float(index % 50)
            return withUnsafeBytes(of: float.bitPattern.littleEndian) { Array($0) }
        }
        for (name, method) in [("bits", BulkCompression.Method.bits), ("integers", .integers)] {
            let bulk = BulkBytes(byteCount: scaled.count + 1) { $0.copyBytes(from: scaled + [7]) }
            guard let compressed = BulkCompression.compress(bulk, width: 4, method: method) else { continue }
            let head = [UInt8((scaled.count + 1) & 255), UInt8((scaled.count + 1) >> 8), 0]
            seeds[name] = head + compressed.withUnsafeBytes { Array($0) }
        }
        seeds["bits-back-and-forth"] = [6, 0, 128] + scaled
        seeds["integers-back-and-forth"] = [10, 0, 128] + scaled
        // A block that is not compressed.
        seeds["block"] = [5, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 1, 2, 3, 4, 5]
        seeds["back-and-forth"] = [2, 0, 128] + floats.prefix(1001)
        return seeds
    }
}
