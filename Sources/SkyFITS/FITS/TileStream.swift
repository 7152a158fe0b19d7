internal import CFITSIO
internal import CZlib

/// Checks that the compressed bytes of a tile can be decompressed safely.
///
/// CFITSIO does not check them: damaged bytes make it read past its buffers (Rice, PLIO, HCOMPRESS) or allocate memory
/// without limit (GZIP). The formats are defined in the FITS standard 4.0, section 10.4.
package enum TileStream {
    /// Parameters of a Rice code: pixels are coded in blocks, each with its own number of low bits.
    package struct Rice {
        package var blockSize: Int
        package var bytesPerPixel: Int

        package init(blockSize: Int, bytesPerPixel: Int) {
            (self.blockSize, self.bytesPerPixel) = (blockSize, bytesPerPixel)
        }
    }

    /// Whether `bytes` are a complete gzip or zlib stream that expands to one of the given lengths in bytes.
    package static func isSoundGzip(_ bytes: UnsafeBufferPointer<UInt8>, lengths: [Int]) -> Bool {
        guard let start = bytes.baseAddress, let limit = lengths.max() else { return false }
        var stream = z_stream()
        // The window has 15 bits; adding 32 makes zlib detect gzip or zlib by the header.
        guard
            inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return false }
        defer { inflateEnd(&stream) }
        stream.next_in = UnsafeMutablePointer(mutating: start)
        stream.avail_in = UInt32(clamping: bytes.count)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 << 16) { scratch in
            while true {
                stream.next_out = scratch.baseAddress
                stream.avail_out = UInt32(scratch.count)
                let result = inflate(&stream, Z_NO_FLUSH)
                guard Int(stream.total_out) <= limit else { return false }
                if result == Z_STREAM_END { return lengths.contains(Int(stream.total_out)) }
                // If `scratch` is full, more output follows; otherwise the input is truncated.
                if result != Z_OK || stream.avail_out > 0 { return false }
            }
        }
    }

    /// Whether `bytes` are a Rice code of `count` pixels.
    package static func isSoundRice(_ bytes: UnsafeBufferPointer<UInt8>, count: Int, _ rice: Rice) -> Bool {
        let widthBits: Int
        let longest: Int
        switch rice.bytesPerPixel {
        case 1: (widthBits, longest) = (3, 6)
        case 2: (widthBits, longest) = (4, 14)
        case 4: (widthBits, longest) = (5, 25)
        default: return false
        }
        guard rice.blockSize > 0 else { return false }
        // The first pixel is stored uncompressed.
        var reader = BitReader(bytes: bytes, position: 8 * rice.bytesPerPixel)
        var left = count
        while left > 0 {
            let block = min(left, rice.blockSize)
            guard let width = reader.read(widthBits) else { return false }
            if width == longest + 1 {
                // A block that is too noisy to be compressed has its differences stored uncompressed.
                guard reader.skip(block * 8 * rice.bytesPerPixel) else { return false }
            } else if width > longest + 1 {
                return false
            } else if width > 0 {
                guard reader.skipCodes(block, lowBits: width - 1) else { return false }
            }
            left -= block
        }
        return true
    }

    /// Whether the line list `words` begins and ends within bounds.
    package static func isSoundPLIO(_ words: UnsafeBufferPointer<Int16>) -> Bool {
        guard words.count >= 3 else { return false }
        let isOld = words[2] > 0
        guard isOld || words.count >= 7 else { return false }
        // The third word of the header is the length of the list; if it is negative, two further words hold the length.
        let length = isOld ? Int(words[2]) : Int(words[4]) << 15 + Int(words[3])
        let header = isOld ? 3 : Int(words[1])
        guard 3 <= header, header <= length, length <= words.count else { return false }
        // Instruction 1 uses the word after it.
        return length == header || UInt16(bitPattern: words[length - 1]) >> 12 != 1
    }

    /// Whether the header in `bytes` describes `count` pixels.
    package static func isSoundHCompress(_ bytes: UnsafeBufferPointer<UInt8>, count: Int) -> Bool {
        guard bytes.count >= 25, bytes[0] == 0xdd, bytes[1] == 0x99 else { return false }
        func integer(at offset: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) } }
        let (area, overflow) = integer(at: 2).multipliedReportingOverflow(by: integer(at: 6))
        return !overflow && area == count && bytes[22..<25].allSatisfy { $0 <= 64 }
    }
}

/// A reader of bits, the highest bit of each byte first.
private struct BitReader {
    let bytes: UnsafeBufferPointer<UInt8>
    var position: Int
    private let end: Int

    init(bytes: UnsafeBufferPointer<UInt8>, position: Int) {
        (self.bytes, self.position, end) = (bytes, position, 8 * bytes.count)
    }

    /// Reads the next `count` bits, at most 8, as a number; nil if the bytes end within them.
    mutating func read(_ count: Int) -> Int? {
        guard position + count <= end else { return nil }
        let index = position >> 3
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0
        let word = UInt16(bytes[index]) << 8 | UInt16(next)
        let value = (word << UInt16(position & 7)) >> UInt16(16 - count)
        position += count
        return Int(value)
    }

    mutating func skip(_ count: Int) -> Bool {
        position += count
        return position <= end
    }

    /// Skips `count` codes, each of zeros, a one, and `lowBits` bits. Returns false if the bytes end within them.
    mutating func skipCodes(_ count: Int, lowBits: Int) -> Bool {
        var left = count
        while left > 0 {
            let before = left
            if position >> 3 + 8 <= bytes.count {
                // The next 57 or more bits contain several codes.
                let shift = position & 7
                let loaded = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: position >> 3, as: UInt64.self)
                var word = UInt64(bigEndian: loaded) << UInt64(shift)
                var valid = 64 - shift
                while left > 0 {
                    let length = word.leadingZeroBitCount + 1 + lowBits
                    guard length < valid else { break }
                    word &<<= UInt64(length)
                    valid -= length
                    left -= 1
                }
                position += 64 - shift - valid
            }
            if left == before {
                guard skipCode(lowBits: lowBits) else { return false }
                left -= 1
            }
        }
        return true
    }

    /// Skips one code with any number of zeros; see ``skipCodes(_:lowBits:)``.
    private mutating func skipCode(lowBits: Int) -> Bool {
        var index = position >> 3
        guard index < bytes.count else { return false }
        var rest = bytes[index] << UInt8(position & 7)
        if rest != 0 { return skip(rest.leadingZeroBitCount + 1 + lowBits) }
        repeat {
            index += 1
            guard index < bytes.count else { return false }
            rest = bytes[index]
        } while rest == 0
        position = 8 * index
        return skip(rest.leadingZeroBitCount + 1 + lowBits)
    }
}
