import ScanBasics
import ScanCluster
import Testing

import ScanNetwork
import ScanCompression

@Suite("Compressed bulk bytes")
struct BulkCompressionTests {
    private func bulk(_ bytes: [UInt8]) -> BulkBytes { BulkBytes(byteCount: bytes.count) { $0.copyBytes(from: bytes) } }

    private func bytes(_ bulk: BulkBytes) -> [UInt8] { bulk.withUnsafeBytes { Array($0) } }

    private func bytes(of floats: [Float]) -> [UInt8] { floats.withUnsafeBytes { Array($0) } }

    @Test("expand to floats that are equal to the bit, of every kind and number")
    func floats() throws {
        var random = SplitMix64(seed: 26)
        for round in 0..<120 {
            // Some rounds have more than a block of 1 MiB.
            let count = round < 100 ? Int.random(in: 0...3000, using: &random) : 250_000 + round * 500
            let kind = round % 4
            let floats = (0..<count).map { index in
                switch kind {
                case 0: Float(1000 + Float(index % 700) / 8)
                case 1: Float(Int.random(in: 0...65535, using: &random)) * 0.37
                case 2: [Float.nan, .signalingNaN, .infinity, -0.0, 0, .leastNonzeroMagnitude][index % 6]
                default: Float(bitPattern: UInt32.random(in: .min ... .max, using: &random))
                }
            }
            // A mask of one byte per pixel may follow, so that the last number is not whole.
            let plain = bytes(of: floats) + [UInt8](repeating: 1, count: Int.random(in: 0...5, using: &random))
            guard let compressed = BulkCompression.compress(bulk(plain), width: 4) else {
                #expect(kind == 3 || plain.count < 200, "round \(round): \(plain.count) bytes")
                continue
            }
            #expect(compressed.isCompressed && compressed.unpackedCount == plain.count)
            #expect(compressed.count < plain.count)
            let expanded = try BulkCompression.expand(compressed, to: plain.count)
            #expect(expanded.unpackedCount == nil && !expanded.isCompressed)
            #expect(bytes(expanded) == plain, "round \(round)")
        }
    }

    @Test("come back whatever the width of their numbers", arguments: [1, 2, 4, 8])
    func widths(width: Int) throws {
        let plain = (0..<40_003).map { UInt8(truncatingIfNeeded: $0 / 800 &+ ($0 % width) * 50) }
        let compressed = try #require(BulkCompression.compress(bulk(plain), width: width))
        #expect(bytes(try BulkCompression.expand(compressed, to: plain.count)) == plain)
    }

    @Test("of noise do not exist")
    func noise() {
        var random = SplitMix64(seed: 1)
        let noise = (0..<3_000_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        #expect(BulkCompression.compress(bulk(noise), width: 4) == nil)
        for count in 0...9 {
            #expect(BulkCompression.compress(bulk(Array(repeating: 0, count: count)), width: 4) == nil)
        }
    }

    @Test("that a peer has made up give an error")
    func malformed() throws {
        let plain = bytes(of: (0..<3000).map { Float($0 % 90) })
        let sound = bytes(try #require(BulkCompression.compress(bulk(plain), width: 4)))
        func expand(_ bytes: [UInt8], to count: Int) throws { _ = try BulkCompression.expand(bulk(bytes), to: count) }
        try expand(sound, to: plain.count)
        for count in [0, 3, 4, 7, 8, 100, sound.count - 1] {
            #expect(throws: BulkCompression.Malformed.self, "\(count) bytes") {
                try expand(Array(sound.prefix(count)), to: plain.count)
            }
        }
        // Of another number of bytes.
        for count in [0, 1, plain.count - 1, plain.count + 1, 2 * plain.count, 3 << 20] {
            #expect(throws: BulkCompression.Malformed.self, "to \(count) bytes") { try expand(sound, to: count) }
        }
        #expect(throws: BulkCompression.Malformed.self) { try expand(sound + [0], to: plain.count) }
        #expect(throws: BulkCompression.Malformed.self) { try expand([3] + sound.dropFirst(), to: plain.count) }
        // Zstandard has frames to be skipped and older formats, and joins frames; none of these is a block.
        let frame = Array(sound[8...])
        for form in [[0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0] + frame, [0x1e, 0xb5, 0x2f, 0xfd] + frame, frame + frame] {
            let length = withUnsafeBytes(of: UInt32(form.count).littleEndian) { Array($0) }
            #expect(throws: BulkCompression.Malformed.self) {
                try expand(Array(sound.prefix(4)) + length + form, to: plain.count)
            }
        }
        for place in sound.indices.prefix(400) {
            var changed = sound
            changed[place] ^= 0x11
            do { try expand(changed, to: plain.count) } catch {}
        }
    }
}
