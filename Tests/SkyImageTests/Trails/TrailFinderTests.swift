import Foundation
import SkyExtraction
import SkyFITS
import SkyTrails
import Testing

/// Random numbers that are the same in each run.
private struct Noise: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }

    /// About normally distributed, with a standard deviation of 1.
    mutating func normal() -> Float {
        var sum: Float = -6
        for _ in 0..<12 { sum += Float.random(in: 0..<1, using: &self) }
        return sum
    }
}

@Suite("TrailFinder finds lines of even brightness")
struct TrailFinderTests {
    private static let side = 512

    /// Noise of 1 with stars, and a line through the middle at an angle, of some brightness and 3 pixels wide.
    private static func pixels(
        seed: UInt64, angle: Double, brightness: Float, length: Double = .infinity, stars: Int = 100
    ) -> [Float] {
        var noise = Noise(state: seed)
        var pixels = (0..<side * side).map { _ in noise.normal() }
        for _ in 0..<stars {
            let (x, y) = (Int.random(in: 4..<side - 4, using: &noise), Int.random(in: 4..<side - 4, using: &noise))
            let peak = Float.random(in: 5..<500, using: &noise)
            for dy in -4...4 {
                for dx in -4...4 { pixels[(y + dy) * side + x + dx] += peak * exp(-Float(dx * dx + dy * dy) / 3) }
            }
        }
        let (ux, uy) = (cos(angle), sin(angle))
        for row in 0..<side {
            for column in 0..<side {
                let (x, y) = (Double(column - side / 2), Double(row - side / 2))
                let (along, across) = (x * ux + y * uy, x * uy - y * ux)
                if along.magnitude <= length / 2 {
                    pixels[row * side + column] += brightness * Float(exp(-across * across / 3.2))
                }
            }
        }
        return pixels
    }

    private static func coarse(_ pixels: [Float], rows: Range<Int>) -> CoarseImage {
        var image = CoarseImage(image: PixelRect(x: 0..<side, y: 0..<side), rows: rows)
        pixels.withUnsafeBufferPointer { pixels in
            guard let base = pixels.baseAddress else { return }
            // The rows that a band of these rows has.
            let known = max(0, rows.lowerBound - 4)..<min(side, rows.upperBound + 4)
            image.add(rows: rows, width: side, noise: 1) { row in
                known.contains(row) ? CoarseRow(samples: base + row * side, mask: nil) : nil
            }
        }
        return image
    }

    private static func trails(_ pixels: [Float]) -> [Trail] {
        TrailFinder.trails(in: coarse(pixels, rows: 0..<side), width: side, height: side)
    }

    @Test("a trail of 1 noise per pixel is found at each angle", arguments: 0..<12)
    func angles(step: Int) throws {
        let angle = Double(step) * .pi / 12 + 0.01
        let trails = Self.trails(Self.pixels(seed: UInt64(step), angle: angle, brightness: 1))
        let trail = try #require(trails.first)
        #expect(trails.count == 1)
        let middle = Double(Self.side / 2)
        for (x, y) in [(trail.x1, trail.y1), (trail.x2, trail.y2)] {
            #expect(((x - middle) * sin(angle) - (y - middle) * cos(angle)).magnitude < 6, "\(trail)")
        }
        #expect(trail.length > 480)
    }

    @Test("nine of ten trails above 1 noise per pixel are found, among few stars and among 10,000 per million pixels")
    func completeness() {
        var (bright, found) = (0, 0)
        for trial in 0..<60 {
            let brightness = 0.5 + 4.5 * Float(trial) / 59
            let angle = (Double(trial) * 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1) * .pi
            let pixels = Self.pixels(
                seed: UInt64(1000 + trial), angle: angle, brightness: brightness, stars: trial % 2 == 0 ? 250 : 2500)
            let trails = Self.trails(pixels)
            #expect(trails.count <= 1, "\(trial): \(trails)")
            if brightness <= 1 { continue }
            bright += 1
            if !trails.isEmpty { found += 1 }
        }
        #expect(bright == 53 && 10 * found >= 9 * bright, "\(found) of \(bright)")
    }

    @Test("a line along a row or column is a pattern of the detector, and no trail", arguments: [0, 0.5])
    func aligned(turns: Double) {
        #expect(Self.trails(Self.pixels(seed: 5, angle: turns * .pi, brightness: 5)).isEmpty)
    }

    @Test("masked pixels count neither in sums nor as neighbours")
    func masked() {
        let rect = PixelRect(x: 0..<9, y: 0..<5)
        var (samples, mask) = ([Float](repeating: 1, count: 45), [UInt8](repeating: 0, count: 45))
        (samples[20], mask[20]) = (1e30, 1)
        (samples[24], mask[24]) = (.nan, 1)
        var image = CoarseImage(image: rect, rows: 0..<5)
        samples.withUnsafeBufferPointer { samples in
            mask.withUnsafeBufferPointer { mask in
                guard let samples = samples.baseAddress, let mask = mask.baseAddress else { return }
                image.add(rows: 0..<5, width: 9, noise: 1) { row in
                    (0..<5).contains(row) ? CoarseRow(samples: samples + row * 9, mask: mask + row * 9) : nil
                }
            }
        }
        for plane in image.planes {
            #expect(plane.counts == [15, 15, 4, 4, 4, 1])
            #expect(plane.sums == [240, 240, 64, 64, 64, 16])
        }
    }

    @Test("an image without a trail has none", arguments: UInt64(100)..<140)
    func none(seed: UInt64) { #expect(Self.trails(Self.pixels(seed: seed, angle: 0, brightness: 0)).isEmpty) }

    @Test("a short bright line, such as a galaxy or the spike of a star, is no trail")
    func short() { #expect(Self.trails(Self.pixels(seed: 1, angle: 0.7, brightness: 50, length: 90)).isEmpty) }

    @Test("the coarse image does not depend on the bands", arguments: [1, 3, 64, 100, 511])
    func bands(height: Int) {
        let pixels = Self.pixels(seed: 3, angle: 0.3, brightness: 2)
        var image = CoarseImage(image: PixelRect(x: 0..<Self.side, y: 0..<Self.side), rows: 0..<Self.side)
        for start in stride(from: 0, to: Self.side, by: height).reversed() {
            image.add(Self.coarse(pixels, rows: start..<min(start + height, Self.side)))
        }
        #expect(image == Self.coarse(pixels, rows: 0..<Self.side))
    }

    @Test("an image with NaN, without noise or with few pixels has no trail")
    func degenerate() {
        #expect(Self.trails(Array(repeating: .nan, count: Self.side * Self.side)).isEmpty)
        #expect(Self.trails(Array(repeating: 0, count: Self.side * Self.side)).isEmpty)
        let small = CoarseImage(image: PixelRect(x: 0..<5, y: 0..<3), rows: 0..<3)
        #expect(TrailFinder.trails(in: small, width: 5, height: 3).isEmpty)
    }
}

@Suite("TrailedSources tells parts of a trail from stars")
struct TrailedSourcesTests {
    private func table(_ sources: [(x: Double, y: Double, peak: Float)]) -> SourceTable {
        var table = SourceTable()
        for source in sources {
            table.x.append(source.x)
            table.y.append(source.y)
            table.peak.append(source.peak)
            table.a.append(1.3)
            table.b.append(1.2)
            (table.x2, table.y2, table.xy) = (table.x2 + [1.6], table.y2 + [1.6], table.xy + [0])
        }
        return table
    }

    private static let trail = Trail(
        from: (0, 10), to: (1000, 210), width: 3, brightness: 2, significance: 20)

    @Test("a faint source on the trail is a part of it, a star only touched, others neither")
    func parts() {
        let found = TrailedSources(
            [Self.trail], table([(500, 110, 3), (250, 60, 900), (500, 130, 3), (1100, 230, 3)]), noise: 1)
        #expect(found.touched == [true, true, false, false])
        #expect(found.parts == [true, false, false, false])
        #expect(found.trails.map(\.sources) == [1])
    }

    @Test("a column through a very bright star is no trail")
    func bleeding() {
        let column = Trail(from: (100, 0), to: (100.5, 1000), width: 3, brightness: 5, significance: 30)
        let found = TrailedSources([column], table([(100, 400, 20_000)]), noise: 1)
        #expect(found.trails.isEmpty)
        #expect(found.touched == [false])
    }
}
