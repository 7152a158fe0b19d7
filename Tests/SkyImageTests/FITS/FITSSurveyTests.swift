import Foundation
import SkyTestSupport
import Testing

import SkyFITS

@Suite("what a file holds besides the image that is read")
struct FITSSurveyTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let empty = RawFITS() + RawFITS.image(bitpix: 8, axes: [])

    /// A file of `count` images, each with its number as the only sample, and a name of `prefix` and number.
    private static func mosaic(_ count: Int, prefix: String = "CCD") -> RawFITS {
        (1...count).reduce(empty) { file, number in
            let name = "EXTNAME = '\(prefix)\(number)'"
            let cards = RawFITS.image(bitpix: 16, axes: [30, 20], primary: false, extra: [name])
            return file + cards + RawFITS.bytes([Int16](repeating: Int16(number), count: 600))
        }
    }

    private func survey(_ bytes: [UInt8], _ selector: String = "") throws -> FITSImage {
        try FITSImage(surveying: folder.write(bytes, "m.fits") + selector)
    }

    @Test("further images are named if none was chosen")
    func mosaic() throws {
        let file = (Self.mosaic(3) + RawFITS.table + [UInt8](repeating: 0, count: 12)).bytes
        let first = try survey(file)
        #expect(first.survey?.images.map(\.number) == [1, 2, 3] && first.survey?.faults == [])
        #expect(
            first.warnings == [
                "\(folder.path("m.fits")): holds 3 images, of which only HDU 1 (CCD1) is read; name the HDU of another to "
                    + "read it, as in '\(folder.path("m.fits"))[2]'"
            ])
        for (selector, number) in [("[1]", 1), ("[2]", 2), ("[CCD3]", 3)] {
            let chosen = try survey(file, selector)
            #expect(chosen.survey?.images.map(\.number) == [1, 2, 3] && chosen.warnings.isEmpty)
            #expect(chosen.hduNumber == number)
            // The survey left the file at another HDU.
            #expect(try chosen.pixels().allSatisfy { $0 == Float(number) })
        }
        #expect(try survey(Self.mosaic(1).bytes).warnings.isEmpty)
        #expect(try FITSImage(folder.path("m.fits")).survey == nil)
    }

    @Test("bytes after the last HDU are no error", arguments: [1, 100, 2880, 10_000])
    func junk(count: Int) throws {
        for byte in [0, UInt8(ascii: " "), UInt8(ascii: "x"), 0xff] {
            let image = try survey(Self.mosaic(1).bytes + [UInt8](repeating: byte, count: count))
            #expect(try image.pixels().allSatisfy { $0 == 1 })
            let warning = try #require(image.warnings.first)
            #expect(image.warnings.count == 1)
            #expect(warning.hasSuffix("m.fits: ignored \(count) bytes after HDU 1, which are not FITS"))
        }
    }

    @Test("a file that is being written is incomplete, whatever its length")
    func incomplete() throws {
        let file = Self.mosaic(2).bytes
        // The file ends where the second image begins, or lacks padding alone.
        let (firstEnd, lastSample) = (file.count / 5 * 3, file.count - 2880 + 1200)
        for length in Array(stride(from: 16, to: file.count, by: 16)) + [0, file.count] {
            let path = try folder.write(Array(file[..<length]), "m.fits")
            let isComplete = length == 2880 || length == firstEnd || length >= lastSample
            let isFirstComplete = (firstEnd - 2880 + 1200..<firstEnd + 8).contains(length)
            #expect(
                (FITSSurvey.incompleteness(of: path) == nil) == (isComplete || isFirstComplete),
                "length \(length) of \(file.count): \(FITSSurvey.incompleteness(of: path) ?? "complete")")
        }
    }

    @Test("a name that is no text cannot control a terminal")
    func hostileName() throws {
        let file = Self.mosaic(2, prefix: "\u{1b}[2J").bytes
        let image = try survey(file)
        #expect(image.extensionName == "\u{1b}[2J1")
        #expect(image.warnings.first?.contains("HDU 1 (?[2J1) is read") == true, "\(image.warnings)")
        expect(.noSuchHDU, "HDU 1 (?[2J1)") { try survey(file, "[9]") }
    }

    @Test("a missing padding is no error")
    func padding() throws {
        let image = try survey(Self.mosaic(1).bytes.dropLast(1680))
        #expect(try image.pixels().allSatisfy { $0 == 1 })
        #expect(image.warnings == ["\(folder.path("m.fits")): the last block lacks 1680 bytes of padding"])
    }

    @Test("a truncated HDU after the image is no error")
    func truncated() throws {
        let image = try survey(Self.mosaic(3).bytes.dropLast(2000))
        #expect(try image.pixels().allSatisfy { $0 == 1 })
        #expect(image.survey?.images.map(\.number) == [1, 2])
        #expect(image.warnings.count == 2)
        #expect(image.warnings.last?.contains("truncated: HDU 3 (CCD3)") == true)
    }

    @Test("many bytes after the last HDU are not looked at")
    func longTail() throws {
        // A card of each kind that is looked at in a header.
        let card = Array("ZTILE1  =                    0".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: 50)
        let tail = (0..<(8 << 20) / card.count).flatMap { _ in card }
        let image = try survey(Self.mosaic(1).bytes + tail)
        #expect(image.warnings.count == 1 && image.warnings[0].contains("ignored \(tail.count) bytes after HDU 1"))
    }

    @Test("of a compressed image with two names the image's own counts")
    func twoNames() throws {
        let path = folder.path("c.fits")
        var bytes = try CompressedFile.all[1].write(to: path)
        let end = try #require(
            stride(from: 2880, to: bytes.count, by: FITSHeader.cardLength).first {
                bytes[$0..<$0 + 8].elementsEqual("END     ".utf8)
            })
        // There is room for two cards in the last block.
        try #require(end % 2880 <= 2880 - 240)
        bytes.replaceSubrange(
            end..<end + 240, with: FITSHeader(cards: ["EXTNAME = 'COMPRESSED_IMAGE'", "EXTNAME = 'ccd01'"]).bytes)
        let named = try FITSImage(folder.write(bytes, "n.fits") + "[CCD01]")
        #expect(named.extensionName == "ccd01")
        #expect(try named.pixels() == CompressedFile.samples)
    }
}
