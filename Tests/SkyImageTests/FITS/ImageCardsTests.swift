import Foundation
import SkyFITS
import SkyTestSupport
import Testing

@Suite("cards of an image")
struct ImageCardsTests {
    private func written(_ file: RawFITS) throws -> (folder: TemporaryFolder, path: String) {
        let folder = try TemporaryFolder()
        try Data(file.bytes).write(to: URL(filePath: folder.path("a.fits")))
        return (folder, folder.path("a.fits"))
    }

    @Test("what an extension lacks is the primary header's, unless INHERIT is F")
    func inherited() throws {
        let primary = RawFITS.image(
            bitpix: 8, axes: [], extra: [RawFITS.card("GAIN", "1.5"), "CAMERA  = 'two words ' / name"])
        func cards(_ extra: [String]) throws -> ImageCards {
            let image = RawFITS.image(bitpix: 16, axes: [3, 2], primary: false, extra: extra)
            let (folder, path) = try written(
                RawFITS() + primary + image + RawFITS.bytes([Int16](repeating: 7, count: 6)))
            let opened = try withExtendedLifetime(folder) { try FITSImage("\(path)[1]") }
            #expect(try opened.pixels() == [7, 7, 7, 7, 7, 7])
            return ImageCards(header: opened.header, primary: opened.primary)
        }
        for extra in [[], [RawFITS.card("INHERIT", "T")]] {
            let found = try cards(extra)
            #expect(found.value("GAIN") == .init(number: 1.5, words: "1.5", isInherited: true))
            #expect(found.value("CAMERA") == .init(number: nil, words: "two words", isInherited: true))
            #expect(found.value("SATURATE") == nil)
        }
        #expect(try cards([RawFITS.card("GAIN", "2")]).value("GAIN") == .init(number: 2, words: "2"))
        #expect(try cards([RawFITS.card("INHERIT", "F")]).value("GAIN") == nil)
    }

    @Test("a primary image inherits nothing")
    func primary() throws {
        let image = RawFITS.image(bitpix: 16, axes: [1, 1], extra: [RawFITS.card("GAIN", "2")])
        let (folder, path) = try written(RawFITS() + image + RawFITS.bytes([Int16(1)]))
        let opened = try withExtendedLifetime(folder) { try FITSImage(path) }
        #expect(opened.primary.count == 0)
        #expect(ImageCards(header: opened.header, primary: opened.primary).value("GAIN")?.isInherited == false)
    }

    @Test("a BZERO or BSCALE that is no number is refused by name", arguments: ["BZERO", "BSCALE"], [16, -32, 32])
    func scales(keyword: String, bitpix: Int) throws {
        func open(_ value: String) throws -> FITSImage {
            let image = RawFITS.image(
                bitpix: bitpix, axes: [2, 1],
                extra: ["\(keyword.padding(toLength: 8, withPad: " ", startingAt: 0))= \(value)"])
            let (folder, path) = try written(
                RawFITS() + image + [UInt8](repeating: 0, count: 2 * abs(bitpix) / 8))
            return try withExtendedLifetime(folder) { try FITSImage(path) }
        }
        for value in ["'abc     '", "T", "(1.0, 2.0)"] {
            let error = #expect(throws: ImageError.self) { try open(value) }
            #expect(error?.code == .corrupt && error?.message.contains(keyword) == true)
        }
        _ = try open("2.0")
        _ = try open("'2.0     '")
    }

    @Test("cards beside an image may be written with tabs")
    func tabs() throws {
        let text = "CRVAL1\t=\t150.25\t/ degrees\nCTYPE1\t= 'RA---TAN'\nCOMMENT\ta=b\nEND\n"
        let header = try #require(FITSHeader.headers(parsing: text).first)
        #expect(header.number("CRVAL1") == 150.25 && header.words("CTYPE1") == "RA---TAN")
        #expect(header[0] == "CRVAL1  = 150.25 / degrees" && header[2] == "COMMENT a=b")
    }
}
