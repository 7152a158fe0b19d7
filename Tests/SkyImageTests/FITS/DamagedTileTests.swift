import CFITSIO
import Foundation
import ScanBasics
import SkyTestSupport
import Testing

import SkyFITS

@Suite("damaged tile-compressed files")
struct DamagedTileTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    @Test("sound ones are read", arguments: CompressedFile.all)
    func sound(file: CompressedFile) throws {
        let path = folder.path("sound.fits")
        _ = try file.write(to: path)
        let image = try FITSImage(path)
        #expect(image.isTileCompressed && image.hduNumber == 1)
        let pixels = try image.pixels()
        if file.isQuantized {
            #expect(zip(pixels, CompressedFile.samples).allSatisfy { abs($0 - $1) < 10 })
        } else {
            #expect(pixels == CompressedFile.samples)
        }
    }

    /// Reads a file with other bytes: an ``ImageError`` or pixels, whatever they are, in the size the header gives.
    private func isRefused(_ bytes: [UInt8]) throws -> Bool {
        let path = try folder.write(bytes, "damaged.fits")
        do {
            let image = try FITSImage(path)
            guard image.width <= 4096, image.height <= 4096 else { return false }
            #expect(try image.pixels().count == image.width * image.height)
            return false
        } catch let error as ImageError {
            #expect(!error.message.isEmpty && !error.message.contains("\n"))
            return true
        }
    }

    /// Bytes of the compressed table: its header ends at the first block border behind the END card.
    private func data(_ bytes: [UInt8]) -> Range<Int> {
        let end = bytes.card("END     ") ?? bytes.count
        return (end / 2880 + 1) * 2880..<bytes.count
    }

    @Test("are an error when the table has no column", .timeLimit(.minutes(10)), arguments: CompressedFile.all)
    func noColumn(file: CompressedFile) throws {
        var bytes = try file.write(to: folder.path("whole.fits"))
        let card = try #require(bytes.card("TFIELDS "))
        bytes.replaceSubrange(
            card + 10..<card + 30, with: Array(repeating: UInt8(ascii: " "), count: 19) + [UInt8(ascii: "0")])
        #expect(try isRefused(bytes))
    }

    @Test(
        "are an error or pixels, whatever bytes of descriptors and tiles are changed", .timeLimit(.minutes(10)),
        arguments: CompressedFile.all)
    func damagedData(file: CompressedFile) throws {
        let whole = try file.write(to: folder.path("whole.fits"))
        let used = data(whole).clamped(to: 0..<(whole.lastIndex { $0 != 0 } ?? 0) + 1)
        var refused = 0
        for seed in UInt64(0)..<150 {
            var generator = SplitMix64(seed: seed)
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: used, using: &generator)] = .random(in: .min ... .max, using: &generator)
            }
            if try isRefused(bytes) { refused += 1 }
        }
        #expect(refused > 0)
    }

    @Test(
        "are an error or pixels, when a tile is all ones or zeros from some byte on", .timeLimit(.minutes(10)),
        arguments: CompressedFile.all)
    func overwrittenData(file: CompressedFile) throws {
        let whole = try file.write(to: folder.path("whole.fits"))
        let used = data(whole).clamped(to: 0..<(whole.lastIndex { $0 != 0 } ?? 0) + 1)
        for seed in UInt64(0)..<20 {
            var generator = SplitMix64(seed: seed)
            // Behind the descriptors, two of eight bytes per tile, so that it is the tile that is read.
            let start = Int.random(in: used.lowerBound + 48..<used.upperBound, using: &generator)
            for filler in [0, 0xff] as [UInt8] {
                var bytes = whole
                for index in start..<used.upperBound { bytes[index] = filler }
                _ = try isRefused(bytes)
            }
        }
    }

    @Test(
        "are an error or pixels, whatever digit of the header is changed", .timeLimit(.minutes(10)),
        arguments: CompressedFile.all)
    func damagedHeader(file: CompressedFile) throws {
        let whole = try file.write(to: folder.path("whole.fits"))
        let digits = (2880..<data(whole).lowerBound).filter { (0x30...0x39).contains(whole[$0]) }
        for seed in UInt64(0)..<100 {
            var generator = SplitMix64(seed: seed)
            var bytes = whole
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                if let index = digits.randomElement(using: &generator) {
                    bytes[index] = .random(in: 0x30...0x39, using: &generator)
                }
            }
            _ = try isRefused(bytes)
        }
    }

    @Test("a side of length 0, by which CFITSIO would divide, is refused", arguments: ["ZTILE1", "ZTILE2", "ZNAXIS1"])
    func emptySide(key: String) throws {
        let file = try #require(CompressedFile.all.first)
        let whole = try file.write(to: folder.path("whole.fits"))
        let card = try #require(whole.card(key))
        // Those that are no integers to CFITSIO are 0.
        for text in ["0", "-3", "0.25", "0 3", "0x10", "inf", "1e400", "99999999999999999999"] {
            var bytes = whole
            bytes.setValue(text, ofCard: card)
            #expect(try isRefused(bytes), "\(key) = \(text)")
        }
        // CFITSIO finds the name in these as well.
        for text in ["HIERARCH \(key) = 0", "\(key) X= 0", "\(key)  =\u{301} 0"] {
            var bytes = whole
            bytes.setCard(card, to: text)
            #expect(try isRefused(bytes), "\(text)")
        }
    }

    @Test(
        "a block of no pixels, by which CFITSIO would divide, is refused; the 0 of a code without blocks is none",
        arguments: CompressedFile.all.filter { [RICE_1, HCOMPRESS_1].contains($0.compression) })
    func emptyBlock(file: CompressedFile) throws {
        let whole = try file.write(to: folder.path("whole.fits"))
        let card = try #require(whole.card("ZVAL1   ="))
        for text in file.compression == RICE_1 ? ["0", "0 33", "-1", "F", "1E-3"] : ["0"] {
            var bytes = whole
            bytes.setValue(text, ofCard: card)
            #expect(try isRefused(bytes) == (file.compression == RICE_1), "\(text)")
        }
    }

    // The height stays: CFITSIO counts the tiles itself.
    @Test(
        "a tile with sides too large for their product is refused",
        arguments: ["9223372036854775807", "1152921504606846976", "268435456"])
    func hugeTile(width: String) throws {
        for file in CompressedFile.all {
            var bytes = try file.write(to: folder.path("\(file).fits"))
            bytes.setValue(width, ofCard: try #require(bytes.card("ZTILE1")))
            #expect(try isRefused(bytes), "\(file)")
        }
    }

    @Test(
        "what is too long for CFITSIO's memory in the place of an integer is refused",
        arguments: ["ZVAL2", "ZBITPIX", "ZTILE1", "BLANK", "ZDITHER0"], ["(", "'", "1x"])
    func longInteger(key: String, start: String) throws {
        let file = try #require(CompressedFile.all.first)
        var bytes = try file.write(to: folder.path("whole.fits"))
        let end = try #require(bytes.card("END     "))
        let card = bytes.card(key) ?? end
        if card == end { bytes.replaceSubrange(end + 80..<end + 160, with: bytes[end..<end + 80]) }
        let text = key.padding(toLength: 8, withPad: " ", startingAt: 0) + "= " + start
        bytes.setCard(card, to: text, filledWith: "x")
        #expect(try isRefused(bytes))
    }

    @Test("a column's name that is too long for CFITSIO's memory is refused")
    func longName() throws {
        let file = try #require(CompressedFile.all.first)
        let whole = try file.write(to: folder.path("whole.fits"))
        let card = try #require(whole.card("TTYPE1"))
        for start in ["TTYPE1  =", "TTYPE1=", "TTYPE1  = ", "ttype1 ="] {
            var bytes = whole
            bytes.setCard(card, to: start, filledWith: "u")
            #expect(try isRefused(bytes), "\(start)")
            // The file may end behind the card.
            #expect(try isRefused(Array(bytes[..<(card + 160)])), "\(start), cut")
        }
        // As long as it can be between quotes, or without its end.
        for start in ["TTYPE1  = '", "TTYPE1='", "TFORM1  = '", "TFORM1='", "TNULL1  =", "TFORM1  =", "TDIM1   ="] {
            var bytes = whole
            bytes.setCard(card, to: start, filledWith: "u")
            _ = try isRefused(bytes)
        }
    }

    // Not with HCOMPRESS: CFITSIO's decoder knows no length, and what it finds behind half a tile depends on chance.
    @Test(
        "a tile that ends too early is refused",
        arguments: CompressedFile.all.filter { $0.compression != HCOMPRESS_1 })
    func shortTile(file: CompressedFile) throws {
        let whole = try file.write(to: folder.path("whole.fits"))
        // The first descriptor's length, in elements: half a tile must not be read as a whole one.
        let place = data(whole).lowerBound
        var bytes = whole
        let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        for (index, byte) in RawFITS.bytes([Int32(length / 2)]).enumerated() { bytes[place + index] = byte }
        #expect(length > 8)
        #expect(try isRefused(bytes))
    }
}

extension [UInt8] {
    /// Offset of the first card behind the primary header that begins with `start`.
    fileprivate func card(_ start: String) -> Int? {
        stride(from: 2880, to: count, by: 80).first { self[$0...].starts(with: start.utf8) }
    }

    /// Writes another value into a card, right-justified as a number's.
    fileprivate mutating func setValue(_ text: String, ofCard card: Int) {
        let blanks = repeatElement(UInt8(ascii: " "), count: 20 - text.utf8.count)
        replaceSubrange(card + 10..<card + 30, with: blanks + Array(text.utf8))
    }

    /// Writes another card in the place of one.
    fileprivate mutating func setCard(_ card: Int, to text: String, filledWith filler: Unicode.Scalar = " ") {
        let rest = repeatElement(UInt8(ascii: filler), count: 80 - text.utf8.count)
        replaceSubrange(card..<card + 80, with: Array(text.utf8) + rest)
    }
}
