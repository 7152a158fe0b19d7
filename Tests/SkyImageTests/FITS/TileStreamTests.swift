import ScanBasics
import SkyFITS
import Testing

@Suite("compressed bytes of a tile")
struct TileStreamTests {
    @Test("a line list is sound if it begins and ends inside itself")
    func lineList() {
        for words: [Int16] in [[0, 0, 3], [0, 0, 4, 0x4001], [0, 7, -100, 8, 0, 30, 20, 0x4001]] {
            #expect(words.withUnsafeBufferPointer(TileStream.isSoundPLIO), "\(words)")
        }
        let unsound: [[Int16]] = [
            [], [0, 0], [0, 0, 2], [0, 0, 5, 0x4001], [0, 0, 4, 0x1001], [0, 7, -100, 8, 0, 30],
            // A header that is longer than the list, or ends before it begins.
            [0, 555, -100, 8, 0, 30, 20], [0, 9, -100, 8, 0, 30, 20, 0x4001], [0, -1, -100, 8, 0, 30, 20],
            [0, 7, -100, -1, -1, 30, 20], [0, 7, .min, .max, .max, 30, 20],
        ]
        for words in unsound { #expect(!words.withUnsafeBufferPointer(TileStream.isSoundPLIO), "\(words)") }
    }

    /// As the Rice check, bit by bit.
    private func isComplete(_ bytes: [UInt8], count: Int, blockSize: Int, bytesPerPixel: Int) -> Bool {
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        let (widthBits, longest) = [1: (3, 6), 2: (4, 14), 4: (5, 25)][bytesPerPixel] ?? (0, 0)
        var (position, left) = (8 * bytesPerPixel, count)
        while left > 0 {
            let block = min(left, blockSize)
            guard position + widthBits <= bits.count else { return false }
            let width = bits[position..<position + widthBits].reduce(0) { $0 << 1 | Int($1) }
            position += widthBits
            if width > longest + 1 { return false }
            if width == longest + 1 { position += block * 8 * bytesPerPixel }
            let codes = (1...longest).contains(width) ? block : 0
            for _ in 0..<codes {
                while position < bits.count, bits[position] == 0 { position += 1 }
                guard position < bits.count else { return false }
                position += width
            }
            if position > bits.count { return false }
            left -= block
        }
        return true
    }

    @Test("Rice codes are followed to the same end as bit by bit", arguments: UInt64(0)..<40)
    func riceCodes(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for bytesPerPixel in [1, 2, 4] {
            // Many zeros, which make long codes, in some of the bytes.
            let zeros = Double(seed % 8) / 8
            let bytes = (0..<Int.random(in: 0...400, using: &generator)).map { _ in
                Double.random(in: 0..<1, using: &generator) < zeros ? 0 : UInt8.random(in: 0...255, using: &generator)
            }
            let rice = TileStream.Rice(
                blockSize: Int.random(in: 1...40, using: &generator), bytesPerPixel: bytesPerPixel)
            for count in [0, 1, 5, 30, 31, 32, 33, 60, 100, 200, 400, 1000] {
                let isSound = bytes.withUnsafeBufferPointer { TileStream.isSoundRice($0, count: count, rice) }
                #expect(
                    isSound
                        == isComplete(bytes, count: count, blockSize: rice.blockSize, bytesPerPixel: bytesPerPixel),
                    "\(count) pixels")
            }
        }
    }

    @Test("any bytes are either accepted or rejected", arguments: UInt64(0)..<200)
    func anything(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let number: [Int] = [-1, 0, 1, 2, 3, 7, 8, 255, 32767, 65535]
        let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
            UInt8(truncatingIfNeeded: number.randomElement(using: &generator) ?? 0)
        }
        let words = bytes.map { _ in Int16(truncatingIfNeeded: number.randomElement(using: &generator) ?? 0) }
        _ = words.withUnsafeBufferPointer(TileStream.isSoundPLIO)
        for count in [0, 1, 600, Int(Int32.max)] {
            bytes.withUnsafeBufferPointer { bytes in
                _ = TileStream.isSoundHCompress(bytes, count: count)
                _ = TileStream.isSoundGzip(bytes, lengths: [count])
                for (blockSize, bytesPerPixel) in [(32, 1), (1, 2), (Int(Int32.max), 4), (0, 4), (32, 0), (-1, -1)] {
                    let rice = TileStream.Rice(blockSize: blockSize, bytesPerPixel: bytesPerPixel)
                    _ = TileStream.isSoundRice(bytes, count: count, rice)
                }
            }
        }
    }
}
