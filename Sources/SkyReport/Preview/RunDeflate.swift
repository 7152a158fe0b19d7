internal import CZlib

/// Compressor of noise into zlib's format (RFC 1950 and 1951): one block with a Huffman code of its own, in which only
/// runs of equal bytes are shortened.
///
/// Noise has no other repetitions. zlib, which passes every byte through its search for matches, takes five times as
/// long for a result of the same size.
enum RunDeflate {
    /// The shortest run that is worth its two codes; one in which eight bytes are compared at once.
    private static let shortestRun = 8
    /// The symbol that ends the block; smaller ones are bytes, larger ones lengths of runs.
    private static let end = 256
    private static let symbolCount = 286
    /// Maximum number of bits of a code.
    static let longestCode = 15

    /// Returns the compressed bytes.
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { bytes in
            let runs = runs(in: bytes)
            let counts = counts(of: bytes, without: runs)
            let lengths = codeLengths(counts)
            // A code of one bit for the only distance follows the length of a run, whose other bits are at most five.
            let codes = zip(counts, lengths).enumerated().reduce(0) { bits, symbol in
                bits + symbol.element.0 * (symbol.element.1 + (symbol.offset > end ? 6 : 0))
            }
            let capacity = (codes + 4 * (symbolCount + 1)) / 8 + 64
            return [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                var writer = BitWriter(output)
                // The method, with a window of 32 KiB; a last block with a Huffman code of its own.
                writer.put(0x178, 16)
                writer.put(0b101, 3)
                put(lengths, to: &writer)
                put(bytes, runs, codes: Self.codes(lengths), to: &writer)
                writer.align()
                let sum = UInt32(truncatingIfNeeded: adler32(1, bytes.baseAddress, UInt32(bytes.count)))
                for byte in withUnsafeBytes(of: sum.bigEndian, Array.init) { writer.put(UInt64(byte), 8) }
                count = writer.count
            }
        }
    }

    /// Returns the places of bytes that are equal to the one before them.
    private static func runs(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var place = 1
        let raw = UnsafeRawBufferPointer(bytes)
        while place + shortestRun <= bytes.count {
            let isRun =
                raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                == raw.loadUnaligned(fromByteOffset: place - 1, as: UInt64.self)
            guard isRun else {
                place += shortestRun
                continue
            }
            let end = bytes[place...].firstIndex { $0 != bytes[place - 1] } ?? bytes.count
            runs.append(place..<end)
            place = end
        }
        return runs
    }

    /// Divides a run into lengths of 3 to 258 bytes.
    private static func forEachLength(of run: Range<Int>, _ body: (Length) -> Void) {
        var rest = run.count
        while rest > 0 {
            // No rest is shorter than 3.
            let length = rest > 258 && rest < 261 ? 255 : min(rest, 258)
            body(Length(length))
            rest -= length
        }
    }

    /// The symbol for the length of a run, and the bits that follow it.
    private struct Length {
        var symbol: Int
        var extraBits: Int
        var extra: Int

        init(_ length: Int) {
            let steps = length - 3
            if length == 258 {
                (symbol, extraBits, extra) = (285, 0, 0)
            } else if steps < 8 {
                (symbol, extraBits, extra) = (257 + steps, 0, 0)
            } else {
                extraBits = Int.bitWidth - 1 - steps.leadingZeroBitCount - 2
                symbol = 261 + 4 * extraBits + (steps >> extraBits & 3)
                extra = steps & (1 << extraBits - 1)
            }
        }
    }

    private static func counts(of bytes: UnsafeBufferPointer<UInt8>, without runs: [Range<Int>]) -> [Int] {
        var counts = [Int](repeating: 0, count: symbolCount)
        counts.withUnsafeMutableBufferPointer { counts in
            for byte in bytes { counts[Int(byte)] += 1 }
            for run in runs {
                counts[Int(bytes[run.lowerBound])] -= run.count
                forEachLength(of: run) { counts[$0.symbol] += 1 }
            }
            counts[end] = 1
        }
        return counts
    }

    /// Returns the number of bits of each symbol's code, 0 for one that does not occur.
    static func codeLengths(_ counts: [Int]) -> [Int] {
        var counts = counts
        while true {
            let lengths = optimalLengths(counts)
            if lengths.allSatisfy({ $0 <= longestCode }) { return lengths }
            // With counts that differ less, codes differ less.
            counts = counts.map { $0 == 0 ? 0 : $0 / 2 | 1 }
        }
    }

    /// The lengths of Huffman's code, of any size.
    private static func optimalLengths(_ counts: [Int]) -> [Int] {
        let leaves = counts.indices.filter { counts[$0] > 0 }.sorted { (counts[$0], $0) < (counts[$1], $1) }
        var weights = leaves.map { counts[$0] }
        var parents = [Int](repeating: 0, count: max(1, 2 * leaves.count - 1))
        // Nodes are made in the order of their weights, so that the lightest one is the next leaf or the next node.
        var (leaf, node) = (0, leaves.count)
        for parent in leaves.count..<max(leaves.count, 2 * leaves.count - 1) {
            var weight = 0
            for _ in 0..<2 {
                let isLeaf = leaf < leaves.count && (node >= parent || weights[leaf] <= weights[node])
                let child = isLeaf ? leaf : node
                if isLeaf { leaf += 1 } else { node += 1 }
                parents[child] = parent
                weight += weights[child]
            }
            weights.append(weight)
        }
        var depths = [Int](repeating: 0, count: parents.count)
        for place in parents.indices.dropLast().reversed() { depths[place] = depths[parents[place]] + 1 }
        var lengths = [Int](repeating: 0, count: counts.count)
        // A code of one symbol has a bit as well.
        for (place, symbol) in leaves.enumerated() { lengths[symbol] = max(1, depths[place]) }
        return lengths
    }

    /// Returns the code of each symbol with its first bit lowest, and above 16 bits its length.
    private static func codes(_ lengths: [Int]) -> [UInt32] {
        var codes = [UInt32](repeating: 0, count: lengths.count)
        var code: UInt32 = 0
        for length in 1...longestCode {
            for symbol in lengths.indices where lengths[symbol] == length {
                codes[symbol] = reversed(code, length) | UInt32(length) << 16
                code += 1
            }
            code <<= 1
        }
        return codes
    }

    private static func reversed(_ code: UInt32, _ length: Int) -> UInt32 {
        var (code, reversed) = (code, UInt32(0))
        for _ in 0..<length {
            reversed = reversed << 1 | code & 1
            code >>= 1
        }
        return reversed
    }

    /// Writes the lengths of the codes, each in four bits, and that of the code for distances: one bit for distance 1.
    private static func put(_ lengths: [Int], to writer: inout BitWriter) {
        writer.put(UInt64(symbolCount - 257), 5)
        writer.put(0, 5)
        // The lengths of the codes for lengths: none for those that repeat others, four bits for each of 0 to 15.
        writer.put(15, 4)
        for place in 0..<19 { writer.put(place < 3 ? 0 : 4, 3) }
        for length in lengths + [1] { writer.put(UInt64(reversed(UInt32(length), 4)), 4) }
    }

    private static func put(
        _ bytes: UnsafeBufferPointer<UInt8>, _ runs: [Range<Int>], codes: [UInt32], to writer: inout BitWriter
    ) {
        codes.withUnsafeBufferPointer { codes in
            var place = 0
            for run in runs {
                writer.put(UnsafeBufferPointer(rebasing: bytes[place..<run.lowerBound]), codes)
                forEachLength(of: run) { length in
                    writer.put(code: codes[length.symbol])
                    writer.put(UInt64(length.extra), length.extraBits)
                    // The distance.
                    writer.put(0, 1)
                }
                place = run.upperBound
            }
            writer.put(UnsafeBufferPointer(rebasing: bytes[place...]), codes)
            writer.put(code: codes[end])
        }
    }
}

/// Writes groups of bits, the lowest bit first, into memory that has room for eight bytes more than they take.
private struct BitWriter {
    private let output: UnsafeMutableRawPointer?
    private(set) var count = 0
    /// The bits that are not written yet, fewer than eight between calls.
    private var bits: UInt64 = 0
    private var bitCount = 0

    init(_ output: UnsafeMutableBufferPointer<UInt8>) { self.output = UnsafeMutableRawPointer(output.baseAddress) }

    /// Writes at most 48 bits.
    @inline(__always) mutating func put(_ value: UInt64, _ length: Int) {
        add(value, length)
        flush()
    }

    /// Writes the code of a symbol.
    @inline(__always) mutating func put(code: UInt32) {
        add(code)
        flush()
    }

    /// Writes the codes of bytes.
    mutating func put(_ bytes: UnsafeBufferPointer<UInt8>, _ codes: UnsafeBufferPointer<UInt32>) {
        var place = 0
        // Three codes of at most 15 bits, after seven bits at most.
        while place + 3 <= bytes.count {
            add(codes[Int(bytes[place])])
            add(codes[Int(bytes[place &+ 1])])
            add(codes[Int(bytes[place &+ 2])])
            flush()
            place &+= 3
        }
        for byte in bytes[place...] { put(code: codes[Int(byte)]) }
    }

    /// Fills the last byte with zeros.
    mutating func align() { put(0, -bitCount & 7) }

    @inline(__always) private mutating func add(_ code: UInt32) { add(UInt64(code & 0xffff), Int(code &>> 16)) }

    @inline(__always) private mutating func add(_ value: UInt64, _ length: Int) {
        bits |= value &<< UInt64(truncatingIfNeeded: bitCount)
        bitCount &+= length
    }

    @inline(__always) private mutating func flush() {
        output?.storeBytes(of: bits.littleEndian, toByteOffset: count, as: UInt64.self)
        count &+= bitCount &>> 3
        bits &>>= UInt64(truncatingIfNeeded: bitCount & ~7)
        bitCount &= 7
    }
}
