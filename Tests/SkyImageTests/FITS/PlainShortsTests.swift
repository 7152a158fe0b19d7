import CNumbers
import SkyTestSupport
import Testing

import SkyFITS

@Suite struct PlainShortsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static let cards: [[String]] = [
        [], ["BZERO   = 32768"], ["BSCALE  = 0.37", "BZERO   = 12.1"], ["BSCALE  = -1.5", "BZERO   = 9000.25"],
        ["BSCALE  = -2.0"], ["BLANK   = -7"], ["BZERO   = 32768", "BLANK   = -32768"], ["BLANK   = 70000"],
    ]

    private func number(_ name: String, _ cards: [String]) -> Float? {
        cards.first { $0.hasPrefix(name) }.flatMap { Float($0.dropFirst(10)) }
    }

    @Test("an integer of 16 bits becomes its product with the scale, plus zero, in single precision", arguments: cards)
    func all(cards: [String]) throws {
        // The image is read in several pieces, none of which is a whole number of the blocks that the kernel converts.
        let (width, height) = (1031, 601)
        let stored = (0..<width * height).map { UInt16(truncatingIfNeeded: $0 &* 40_503) }
        let bytes = stored.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
        let file = RawFITS() + RawFITS.image(bitpix: 16, axes: [width, height], extra: cards) + bytes
        let path = try folder.write(file.bytes, "a.fits")
        let image = try FITSImage(path)
        let scale = try #require(image.plainShorts)
        #expect((scale.scale, scale.zero) == (number("BSCALE", cards) ?? 1, number("BZERO", cards) ?? 0))
        let wanted = stored.map { sample in
            let integer = Int16(bitPattern: sample)
            if Float(integer) == number("BLANK", cards) { return Float.nan }
            var value = Float(integer)
            if let scale = number("BSCALE", cards) { value *= scale }
            if let zero = number("BZERO", cards) { value += zero }
            return value
        }
        let samples = try #require(try StoredSamples(image, in: image.stored.opened()))
        for (rows, columns) in [(0..<height, 0..<width), (17..<599, 0..<width), (2..<590, 999..<1000), (0..<9, 3..<70)]
        {
            let expected = rows.flatMap { row in columns.map { wanted[row * width + $0].bitPattern } }
            #expect(try image.pixels(rows: rows, columns: columns).map(\.bitPattern) == expected)
            for length in [nil, 700] {
                let own = try [Float](unsafeUninitializedCapacity: expected.count) { buffer, count in
                    try samples.readPixels(PixelRect(x: columns, y: rows), into: buffer, pieceLength: length)
                    count = expected.count
                }
                #expect(own.map(\.bitPattern) == expected)
            }
        }
    }

    @Test("integers that are not all of an HDU, or incomplete, are left to CFITSIO")
    func others() throws {
        let bytes = [UInt8](repeating: 1, count: 3 * 2 * 2)
        let cards = RawFITS.image(bitpix: 16, axes: [3, 2], primary: false).map {
            $0.hasPrefix("PCOUNT") ? RawFITS.card("PCOUNT", "3") : $0
        }
        let group = RawFITS() + RawFITS.image(bitpix: 8, axes: []) + cards + bytes + [UInt8](repeating: 0, count: 6)
        #expect(try FITSImage(folder.write(group.bytes, "group.fits") + "[1]").plainShorts == nil)
        let wide = RawFITS() + RawFITS.image(bitpix: 32, axes: [3, 1]) + bytes
        #expect(try FITSImage(folder.write(wide.bytes, "wide.fits")).plainShorts == nil)
    }
}
