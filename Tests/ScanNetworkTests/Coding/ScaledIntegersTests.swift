import ScanBasics
import ScanCluster
import Testing

import ScanNetwork
import ScanCompression

/// Samples of 16 bits, and the floats that programs make of them.
private enum CalibratedSky {
    /// Integers of a sky with noise, a gradient and a few bright pixels.
    static func sky(_ count: Int, seed: UInt64 = 7) -> [Int] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { index in
            let noise = (0..<6).reduce(0) { sum, _ in sum + Int.random(in: 0...9, using: &random) }
            return 900 + noise + index / 3000 + (index % 977 == 0 ? Int.random(in: 0...60000, using: &random) : 0)
        }
    }

    /// Rules by which programs make floats of 16-bit samples.
    static let rules: [(name: String, float: @Sendable (Int) -> Float)] = [
        ("as they are", { Float($0) }),
        ("in steps of 1/8, from -3000", { Float($0 - 24000) / 8 }),
        ("every third", { Float($0 * 3 + 1) }),
        ("times a gain, in double precision", { Float(Double($0) * 1.61) }),
        ("times a gain, in single precision", { Float($0) * 0.37 }),
        ("over a gain", { Float($0) / 2.3 }),
        ("BSCALE and BZERO", { Float(Double($0) * 0.0125 + 300.3) }),
        ("after the sky was subtracted", { Float($0) - 931.6171 }),
        ("per second", { Float(Double($0 - 931) / 299.87) }),
    ]
}

@Suite("Floats that are scaled integers")
struct ScaledIntegersTests {
    private func bulk(_ bytes: [UInt8]) -> BulkBytes { BulkBytes(byteCount: bytes.count) { $0.copyBytes(from: bytes) } }

    private func bytes(_ bulk: BulkBytes) -> [UInt8] { bulk.withUnsafeBytes { Array($0) } }

    private func bytes(of floats: [Float]) -> [UInt8] { floats.withUnsafeBytes { Array($0) } }

    @Test("come back to the bit, in fewer bytes than as floats", arguments: CalibratedSky.rules.indices)
    func scaled(index: Int) throws {
        let rule = CalibratedSky.rules[index]
        // More than a block.
        let floats = CalibratedSky.sky(300_001).map(rule.float)
        let plain = bulk(bytes(of: floats))
        #expect(BulkCompression.isScaled(plain), "\(rule.name)")
        let bits = try #require(BulkCompression.compress(plain, width: 4, method: .bits))
        let integers = try #require(BulkCompression.compress(plain, width: 4, method: .integers))
        let planes = BulkCompression.compress(plain, width: 4)
        for compressed in [bits, integers] {
            #expect(compressed.isCompressed && compressed.unpackedCount == plain.count)
            #expect(bytes(try BulkCompression.expand(compressed, to: plain.count)) == bytes(plain), "\(rule.name)")
        }
        #expect(Double(bits.count) < 1.3 * Double(floats.count), "\(rule.name): \(bits.count) bytes")
        #expect(integers.count < bits.count && integers.count < planes?.count ?? .max, "\(rule.name)")
    }

    @Test("come back to the bit among others: -0, no numbers, and what is between the steps")
    func exceptions() throws {
        var random = SplitMix64(seed: 45)
        let others: [Float] = [
            -0.0, .nan, -.nan, .signalingNaN, Float(bitPattern: 0xffc1_2345), .infinity, -.infinity, 931.5,
            .leastNonzeroMagnitude, .greatestFiniteMagnitude, -2e9, 4e9,
        ]
        for round in 0..<24 {
            let rule = CalibratedSky.rules[round % CalibratedSky.rules.count]
            var floats = CalibratedSky.sky(20_000 + 7 * round, seed: UInt64(round)).map(rule.float)
            for _ in 0..<[3, 40, 3000, 20_000][round % 4] {
                floats[Int.random(in: floats.indices, using: &random)] = others.randomElement(using: &random) ?? 0
            }
            // Blank rows, and a mask of one byte per pixel.
            for index in 5000..<6000 { floats[index] = others[round % others.count] }
            let plain = bytes(of: floats) + [UInt8](repeating: 1, count: 1000 + round % 5)
            for method in [BulkCompression.Method.bits, .integers] {
                guard let compressed = BulkCompression.compress(bulk(plain), width: 4, method: method) else { continue }
                #expect(bytes(try BulkCompression.expand(compressed, to: plain.count)) == plain, "round \(round)")
            }
            #expect(BulkCompression.isScaled(bulk(plain)) || round % 4 > 1, "round \(round)")
        }
    }

    @Test("are told from floats that are none")
    func others() {
        var random = SplitMix64(seed: 3)
        let noise = (0..<40_000).map { _ in Float(1000 + Double.random(in: -30...30, using: &random)) }
        let patterns = (0..<40_000).map { _ in Float(bitPattern: UInt32.random(in: .min ... .max, using: &random)) }
        for floats in [noise, patterns, [], [1, 2], [.nan, .nan]] {
            #expect(!BulkCompression.isScaled(bulk(bytes(of: floats))))
        }
        #expect(BulkCompression.compress(bulk(bytes(of: noise)), width: 4, method: .bits) == nil)
    }

    @Test("change their scale within the bytes, as maps of weights after samples do")
    func parts() throws {
        let samples = CalibratedSky.sky(600_000).map { Float($0) * 0.37 }
        let weights = CalibratedSky.sky(600_000, seed: 8).map { 1 + Float($0) / 1024 }
        let plain = bytes(of: samples + weights)
        let compressed = try #require(BulkCompression.compress(bulk(plain), width: 4, method: .bits))
        #expect(compressed.count < 2 * 1_200_000)
        #expect(bytes(try BulkCompression.expand(compressed, to: plain.count)) == plain)
    }

    /// The floats of the groups at the beginning of `bytes`, bit by bit as Docs/Protocol.md describes them.
    private func groups(_ bytes: ArraySlice<UInt8>, _ count: Int, step: Double, offset: Double) -> [Float] {
        var (rest, floats) = (bytes, [Float]())
        func word(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
        while floats.count < count {
            let width = Int(rest.removeFirst())
            let taken = min(128, count - floats.count)
            if width >= 254 {
                let values = (0..<(width == 254 ? 1 : taken)).map { word(rest.dropFirst(4 * $0).prefix(4)) }
                rest = rest.dropFirst(4 * values.count)
                floats += (0..<taken).map { Float(bitPattern: width == 254 ? values[0] : values[$0]) }
                continue
            }
            let least = Int32(bitPattern: word(rest.prefix(4)))
            rest = rest.dropFirst(4)
            let words = (0..<8 * width).map { word(rest.dropFirst(2 * $0).prefix(2)) }
            rest = rest.dropFirst(16 * width)
            for number in 0..<taken {
                let (row, lane) = (number / 8, number % 8)
                let bits = (row * width..<(row + 1) * width).map { words[lane + 8 * ($0 / 16)] >> ($0 % 16) & 1 }
                let value = bits.reversed().reduce(0) { $0 << 1 | Int32($1) }
                floats.append(Float(step * Double(least &+ value) + offset))
            }
        }
        return floats
    }

    @Test("have the form that the protocol describes")
    func document() throws {
        var floats = CalibratedSky.sky(5000).map { Float($0) / 4 }
        (floats[300], floats[700]) = (.nan, -0.0)
        for index in 1024..<1152 { floats[index] = .infinity }
        let compressed = bytes(try #require(BulkCompression.compress(bulk(bytes(of: floats)), width: 4, method: .bits)))
        #expect(compressed.prefix(4) == [4, 1, 0, 0] && compressed[8] == 1)
        func double(_ offset: Int) -> Double {
            Double(bitPattern: compressed[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        #expect(double(9) == 0.25 && double(17) == 0)
        let read = groups(compressed[25...], floats.count, step: double(9), offset: double(17))
        #expect(read.map(\.bitPattern) == floats.map(\.bitPattern))
    }

    @Test("that a peer has made up give an error", arguments: [BulkCompression.Method.bits, .integers])
    func malformed(method: BulkCompression.Method) throws {
        var floats = CalibratedSky.sky(3000).map { Float($0) * 0.37 }
        (floats[1], floats[2000]) = (.nan, -0.0)
        let plain = bytes(of: floats) + [1, 2, 3]
        let sound = bytes(try #require(BulkCompression.compress(bulk(plain), width: 4, method: method)))
        func expand(_ bytes: [UInt8], to count: Int) throws { _ = try BulkCompression.expand(bulk(bytes), to: count) }
        try expand(sound, to: plain.count)
        for count in [0, 4, 8, 9, 20, 25, 29, 34, 100, sound.count - 1] {
            #expect(throws: BulkCompression.Malformed.self, "\(count) bytes") {
                try expand(Array(sound.prefix(count)), to: plain.count)
            }
            guard count > 8 else { continue }
            // A block that says itself that it is so short.
            let length = withUnsafeBytes(of: UInt32(count - 8).littleEndian) { Array($0) }
            #expect(throws: BulkCompression.Malformed.self, "a block of \(count - 8) bytes") {
                try expand(Array(sound[..<4]) + length + Array(sound[8..<count]), to: plain.count)
            }
        }
        for count in [0, 3, plain.count - 600, plain.count + 600, 3 << 20] {
            #expect(throws: BulkCompression.Malformed.self, "to \(count) bytes") { try expand(sound, to: count) }
        }
        for (place, value) in [(0, UInt8(8)), (1, 2), (8, 0), (8, 4)] {
            var changed = sound
            changed[place] = value
            #expect(throws: BulkCompression.Malformed.self, "byte \(place)") { try expand(changed, to: plain.count) }
        }
        for place in sound.indices {
            for change in [UInt8(0x01), 0x80, 0xff] {
                var changed = sound
                changed[place] ^= change
                do { try expand(changed, to: plain.count) } catch {}
            }
        }
    }
}
