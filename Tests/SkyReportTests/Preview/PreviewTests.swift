import CPNG
import Testing

import SkyReport

@Suite struct PreviewTests {
    private func build(_ width: Int, _ height: Int, limit: Int, rowsAtOnce: Int = 1, _ pixels: [Float]) -> Preview {
        var builder = PreviewBuilder(width: width, height: height, limit: limit)
        for first in stride(from: 0, to: height, by: rowsAtOnce) {
            let rows = Array(pixels[first * width..<min(height, first + rowsAtOnce) * width])
            rows.withUnsafeBufferPointer { builder.add(rows: $0) }
        }
        return builder.finish()
    }

    @Test("a small image is its own preview")
    func small() {
        let preview = build(3, 2, limit: 3, [1, 2, 3, 4, 5, 6])
        #expect(preview == Preview(width: 3, height: 2, factor: 1, pixels: [1, 2, 3, 4, 5, 6]))
    }

    @Test("a large one is averaged in squares, which the edges cut", arguments: [1, 2, 3])
    func squares(rowsAtOnce: Int) {
        let pixels: [Float] = [1, 3, 10, 5, 7, 20, 100, 200, 1000]
        let preview = build(3, 3, limit: 2, rowsAtOnce: rowsAtOnce, pixels)
        #expect(preview == Preview(width: 2, height: 2, factor: 2, pixels: [4, 15, 150, 1000]))
    }

    @Test("of each square so many rows are asked for, and the others do not count")
    func someRows() {
        // Seven rows of two pixels, in squares of three; the value tells the row.
        let pixels = (0..<7).flatMap { [Float($0), Float($0)] }
        var builder = PreviewBuilder(width: 2, height: 7, limit: 3, rowsOfSquare: 2)
        var asked: [Range<Int>] = []
        while let rows = builder.nextRows(limit: 100) {
            asked.append(rows)
            pixels[rows.lowerBound * 2..<rows.upperBound * 2].withUnsafeBufferPointer { builder.add(rows: $0) }
        }
        #expect(asked == [0..<2, 3..<5, 6..<7])
        #expect(builder.finish() == Preview(width: 1, height: 3, factor: 3, pixels: [0.5, 3.5, 6]))
    }

    @Test("all rows are asked for, no more at a time than wanted")
    func allRows() {
        var builder = PreviewBuilder(width: 1, height: 5, limit: 2)
        var asked: [Range<Int>] = []
        while let rows = builder.nextRows(limit: 2) {
            asked.append(rows)
            Array(repeating: Float(1), count: rows.count).withUnsafeBufferPointer { builder.add(rows: $0) }
        }
        #expect(asked == [0..<2, 2..<4, 4..<5])
    }

    @Test("pixels that are no number do not count, and a square of them is none")
    func notANumber() {
        let preview = build(4, 1, limit: 2, [.nan, 6, .infinity, .nan])
        #expect(preview.pixels[0] == 6)
        #expect(preview.pixels[1].isNaN)
    }

    @Test("no side is longer than the limit", arguments: [(1, 5000), (5000, 1), (1601, 900), (1600, 1600)])
    func limit(width: Int, height: Int) {
        let preview = build(width, height, limit: 1600, Array(repeating: 1, count: width * height))
        #expect(max(preview.width, preview.height) <= 1600)
        #expect(max(width, height) > 1600 || preview.factor == 1)
    }

    @Test("shades rise with the value, from the sky's black to white, and spread the faint ones")
    func stretch() {
        // A sky of 100 ± 2 with a few sources far above it.
        let sky: [Float] = (0..<1000).map { Float(100 + ($0 * 7919) % 5 - 2) }
        let bright: [Float] = [1000, 5000, 20000, .nan]
        let stretch = Stretch(sky + bright)
        let values: [Float] = [90, 98, 100, 110, 200, 1000, 100_000]
        let shades = values.map(stretch.shade)
        #expect(shades == shades.sorted())
        #expect(shades.first == 0 && shades.last == 255)
        #expect(shades[3] > shades[2])
        #expect(stretch.shade(.nan) == 0 && stretch.shade(.infinity) == 255 && stretch.shade(-.infinity) == 0)
    }

    @Test("the shades of many values are those of each of them")
    func shades() {
        var random: UInt32 = 1
        func next() -> Float {
            random = random &* 1_664_525 &+ 1_013_904_223
            return Float(random >> 8) / Float(1 << 24)
        }
        for range in [Float(1e-3), 30, 1e7] {
            let values = (0..<50_000).map { _ in 100 + range * next() * next() * next() } + [.nan, .infinity, -1, 100]
            for stretch in [Stretch(values), Stretch([7, 7]), Stretch([0, 0, 0, 0, 3])] {
                #expect(stretch.shades(values) == values.map(stretch.shade))
            }
        }
    }

    @Test("the stretch of a large image is that of its pixels' distribution, whatever their order")
    func order() {
        let ordered = (0..<300_000).map { 100 + Float($0 % 1000) / 100 }
        let shuffled = ordered.indices.map { ordered[$0 * 7919 % ordered.count] }
        let (one, other) = (Stretch(ordered.sorted()), Stretch(shuffled))
        #expect(abs(one.black - other.black) < 0.2 && abs(one.white - other.white) < 0.2)
        // The median is 105, the median of the deviations 2.5.
        #expect(abs(one.softening - 3 * 1.4826 * 2.5) < 0.2 && abs(other.softening - 3 * 1.4826 * 2.5) < 0.2)
    }

    @Test(
        "an image without any contrast is black, not an error",
        arguments: [[], [.nan, .nan], [7, 7, 7], [0, .infinity]] as [[Float]])
    func flat(values: [Float]) {
        let stretch = Stretch(values)
        for value in values where value.isFinite { #expect(stretch.shade(value) == 0) }
    }

    @Test("if most pixels are equal, the others are visible")
    func sparse() {
        let stretch = Stretch(Array(repeating: 0, count: 1000) + [3, 9])
        #expect(stretch.shade(0) == 0 && stretch.shade(9) == 255 && stretch.shade(3) > 0)
    }

    @Test("libpng reads back what was written, with the last row on top")
    func png() throws {
        let shades: [UInt8] = [1, 2, 3, 4, 5, 6]
        let bytes = PNG.encode(grey: shades, width: 3, height: 2)
        let (width, height, pixels) = try #require(decode(bytes))
        #expect(width == 3 && height == 2)
        #expect(pixels == [4, 5, 6, 1, 2, 3])
    }

    @Test("pixels that cannot be compressed fit as well")
    func noise() throws {
        var state: UInt32 = 1
        let shades = (0..<300 * 200).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
        let (_, _, pixels) = try #require(decode(PNG.encode(grey: shades, width: 300, height: 200)))
        #expect(pixels.count == shades.count && pixels.suffix(300) == shades.prefix(300))
    }

    private func decode(_ bytes: [UInt8]) -> (Int, Int, [UInt8])? {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        guard png_image_begin_read_from_memory(&image, bytes, bytes.count) != 0 else { return nil }
        defer { png_image_free(&image) }
        guard image.format == png_uint_32(PNG_FORMAT_GRAY) else { return nil }
        var pixels = [UInt8](repeating: 0, count: Int(image.width * image.height))
        guard png_image_finish_read(&image, nil, &pixels, 0, nil) != 0 else { return nil }
        return (Int(image.width), Int(image.height), pixels)
    }
}
