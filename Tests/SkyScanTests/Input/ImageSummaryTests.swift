import SkyFITS
import Testing

import SkyScan

@Suite("summary of an image")
struct ImageSummaryTests {
    private let files: SkyFile

    init() throws { files = try SkyFile() }

    private func summary(_ entries: [HeaderEntry]) throws -> ImageSummary {
        try ImageReader(image: files.image(width: 8, height: 6, header: entries) { x, y in Float(x + y) }).summary
    }

    private func types(_ first: String, _ second: String) -> [HeaderEntry] {
        [HeaderEntry("CTYPE1", .text(first)), HeaderEntry("CTYPE2", .text(second))]
    }

    @Test("size, type and maps are the file's")
    func facts() throws {
        let summary = try summary([])
        #expect((summary.width, summary.height, summary.area) == (8, 6, 48))
        #expect((summary.hdu, summary.bitpix) == (0, -32))
        #expect(summary.mask == nil && summary.weights == nil)
        #expect(summary.name == files.path("sky.fits"))
    }

    @Test(
        "samples are in the header's unit, or in adu",
        arguments: [(nil, "adu"), ("", "adu"), ("   ", "adu"), ("electron / s ", "electron / s")])
    func unit(text: String?, unit: String) throws {
        #expect(try summary(text.map { [HeaderEntry("BUNIT", .text($0))] } ?? []).sampleUnit == unit)
    }

    @Test(
        "celestial axes that cannot be used are named",
        arguments: [
            ("RA---XYZ", "DEC--XYZ"), ("RA---TAN", "GLAT-TAN"), ("HPLN-TAN", "HPLT-TAN"), ("ELON-AIT", "ELAT-AIT"),
        ])
    func unusableCoordinates(first: String, second: String) throws {
        let problem = try #require(try summary(types(first, second)).coordinatesProblem)
        #expect(!problem.isEmpty && !problem.contains("\n"))
    }

    @Test(
        "a header without celestial axes is no fault",
        arguments: [("LINEAR", "LINEAR"), ("WAVE-LOG", "PIXEL"), ("", "")])
    func noCoordinates(first: String, second: String) throws {
        #expect(try summary(types(first, second)).coordinatesProblem == nil)
        #expect(try summary([]).coordinatesProblem == nil)
    }

    @Test("usable coordinates are no problem")
    func usableCoordinates() throws {
        let entries =
            types("RA---TAN", "DEC--TAN")
            + [
                HeaderEntry("CRVAL1", .real(10)), HeaderEntry("CRVAL2", .real(20)), HeaderEntry("CDELT1", .real(-0.01)),
                HeaderEntry("CDELT2", .real(0.01)), HeaderEntry("CRPIX1", .real(4)), HeaderEntry("CRPIX2", .real(3)),
            ]
        #expect(try summary(entries).coordinatesProblem == nil)
    }
}
