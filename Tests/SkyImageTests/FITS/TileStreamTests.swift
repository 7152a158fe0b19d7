import ScanBasics
import Testing

@testable import SkyImage

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
                _ = TileStream.isSoundGzip(bytes, limit: count)
                for (blockSize, bytesPerPixel) in [(32, 1), (1, 2), (Int(Int32.max), 4), (0, 4), (32, 0), (-1, -1)] {
                    let rice = TileStream.Rice(blockSize: blockSize, bytesPerPixel: bytesPerPixel)
                    _ = TileStream.isSoundRice(bytes, count: count, rice)
                }
            }
        }
    }
}
