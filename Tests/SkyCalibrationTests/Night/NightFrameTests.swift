import Foundation
import ScanBasics
import SkyFITS
import SkyTestSupport
import Testing

@testable import SkyCalibration

@Suite struct NightFrameTests {
    private let folder: SkyTestSupport.TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(
        _ cards: [HeaderEntry], keys: [GroupKey] = GroupKey.standard, _ sections: NightSections = NightSections()
    ) throws -> NightFrame? {
        let path = folder.path("frame.fits")
        let writer = try FITSImageWriter(
            path: path, width: 30, height: 20, type: .uint16, header: cards, overwrite: true)
        for _ in 0..<20 { try writer.write(row: [Float](repeating: 1, count: 30)) }
        try writer.finish()
        return try NightFrame.read(ImageLocation(path: path, selector: .firstImage), keys: keys, sections: sections)
    }

    @Test(
        "kinds are known by the spellings of cameras and observatories",
        arguments: [
            ("Bias Frame", FrameKind.bias), ("BIAS", .bias), ("zero", .bias), ("Offset", .bias), ("Dark Frame", .dark),
            ("DARK", .dark), ("DARKFLAT", .dark), ("Flat Dark", .dark), ("DARK,FLAT", .dark), ("Flat Field", .flat),
            ("FLAT", .flat), ("FLAT,SKY", .flat), ("FLAT,LAMP", .flat), ("LAMP,FLAT", .flat), ("dome flat", .flat),
            ("DFLAT", .flat), ("SKYFLAT", .flat), ("twilight-flat", .flat), ("Light Frame", .light), ("LIGHT", .light),
            ("object", .light), ("OBJECT,SKY", .light), ("SCIENCE", .light), ("STD", .light), ("EXPOSE", .light),
            ("TARGET", .light), ("Tricolor Image", .light),
        ])
    func kinds(value: String, kind: FrameKind) {
        #expect(FrameType(value: value) == .known(kind, isMaster: false))
    }

    @Test("masters, other frames and unknown words are told apart")
    func otherKinds() {
        #expect(FrameType(value: "Master Bias") == .known(.bias, isMaster: true))
        #expect(FrameType(value: "masterFlat") == .known(.flat, isMaster: true))
        #expect(FrameType(value: "focus") == .other("focus") && FrameType(value: "WAVE,LAMP") == .other("WAVE,LAMP"))
        #expect(FrameType(value: "FK5") == .unknown("FK5") && FrameType(value: "") == .unknown(""))
    }

    @Test(
        "the cards of programs and observatories give the same frame",
        arguments: [
            // MaximDL, NINA
            [
                HeaderEntry("IMAGETYP", .text("Flat Field")), HeaderEntry("FILTER", .text("R")),
                HeaderEntry("XBINNING", .integer(2)), HeaderEntry("YBINNING", .integer(2)),
                HeaderEntry("GAIN", .integer(100)), HeaderEntry("CCD-TEMP", .real(-10)),
                HeaderEntry("EXPTIME", .real(30)),
                HeaderEntry("DATE-OBS", .text("2026-01-10T20:00:00")),
            ],
            // INDI
            [
                HeaderEntry("FRAME", .text("Flat")), HeaderEntry("FILTER", .text("R")),
                HeaderEntry("XBINNING", .integer(2)),
                HeaderEntry("GAIN", .real(100)), HeaderEntry("CCD-TEMP", .real(-10)), HeaderEntry("EXPTIME", .real(30)),
                HeaderEntry("DATE-OBS", .text("2026-01-10T20:00:00.000")),
            ],
            // NOAO
            [
                HeaderEntry("OBSTYPE", .text("dome flat")), HeaderEntry("FILTER1", .text("R")),
                HeaderEntry("FILTER2", .text("open")), HeaderEntry("CCDSUM", .text("2 2")),
                HeaderEntry("GAIN", .text("100")), HeaderEntry("CCDTEMP", .real(-10)),
                HeaderEntry("EXPTIME", .real(30)),
                HeaderEntry("DATE-OBS", .text("2026-01-10")), HeaderEntry("UT", .text("20:00:00")),
            ],
            // ESO
            [
                HeaderEntry("ESO DPR TYPE", .text("FLAT,LAMP")), HeaderEntry("ESO INS FILT1 NAME", .text("R")),
                HeaderEntry("ESO DET WIN1 BINX", .integer(2)), HeaderEntry("ESO DET WIN1 BINY", .integer(2)),
                HeaderEntry("ESO DET OUT1 CONAD", .real(100)), HeaderEntry("CCD-TEMP", .integer(-10)),
                HeaderEntry("EXPTIME", .real(30)), HeaderEntry("MJD-OBS", .real(61_050.833333333336)),
            ],
        ])
    func spellings(cards: [HeaderEntry]) throws {
        let frame = try #require(try read(cards))
        #expect(frame.kind == .flat && frame.master == nil && frame.size == .init(width: 30, height: 20))
        #expect(frame.values == [.filter: "R", .binning: "2x2", .gain: "100"])
        #expect(frame.exposure == 30 && frame.temperature == -10)
        #expect(abs((frame.time ?? 0) - (61_050.833333333336 + 15.0 / 86_400)) < 1e-6)
    }

    @Test("gain, offset and read mode belong together, and filters of several wheels")
    func combinations() throws {
        let gain = try read(
            [
                HeaderEntry("IMAGETYP", .text("LIGHT")), HeaderEntry("GAIN", .integer(100)),
                HeaderEntry("OFFSET", .integer(30)),
                HeaderEntry("READOUTM", .text("High Gain")), HeaderEntry("FILTER1", .text("U")),
                HeaderEntry("FILTER2", .text("Clear")), HeaderEntry("FILTER3", .text("pol 45")),
                HeaderEntry("SITE", .text("here")),
            ], keys: [.gain, .filter, try #require(GroupKey("SITE"))])
        #expect(gain?.values.map(\.value).sorted() == ["100 offset 30 mode High Gain", "U+pol 45", "here"])
        let bare = try #require(try read([HeaderEntry("IMAGETYP", .text("LIGHT"))]))
        #expect(bare.values.isEmpty && bare.exposure == nil && bare.time == nil && bare.temperature == nil)
    }

    @Test("the cards of the primary header are those of the frame, also where an image inherits none")
    func primary() throws {
        let file = try AtomicFile(path: folder.path("mosaic.fits"), overwrite: false)
        let writer = try FITSFileWriter(path: folder.path("mosaic.fits"), in: file)
        try writer.addEmptyImage()
        for entry in [
            HeaderEntry("OBSTYPE", .text("zero")), HeaderEntry("EXPTIME", .real(3)),
            HeaderEntry("MJD-OBS", .real(60_000)), HeaderEntry("CCDSUM", .text("2 2")),
        ] { try writer.set(entry) }
        for _ in 0..<2 {
            try writer.addImage(width: 4, height: 3, .float32)
            try writer.set(HeaderEntry("INHERIT", .logical(false)))
            try writer.write([Float](repeating: 1, count: 12))
        }
        try writer.finish()
        let location = ImageLocation(path: folder.path("mosaic.fits"), selector: .firstImage)
        let frame = try #require(
            try NightFrame.read(location, keys: GroupKey.standard, sections: NightSections()))
        #expect(frame.kind == .bias && frame.exposure == 3 && frame.values == [.binning: "2x2"])
        #expect(frame.time != nil && frame.size == .init(width: 4, height: 3, images: 2))
        // A frame and its dark have this time, too, and another one is other content.
        let pixels = try FramePixels(ImageLocation(path: location.path, selector: .number(1)))
        #expect(pixels.exposure == 3 && pixels.frame.exposure == 3 && pixels.summary.exposure == 3)
        #expect(RawFrame(try FITSImage(location)).exposure == 3)
        let content = try MasterKey.content(of: location)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: location.path))
        let card = try #require(bytes.range(of: Data("EXPTIME =                   3.".utf8)))
        bytes[card.upperBound - 2] = UInt8(ascii: "4")
        try bytes.write(to: URL(fileURLWithPath: location.path))
        #expect(try FramePixels(ImageLocation(path: location.path, selector: .number(1))).exposure == 4)
        #expect(try MasterKey.content(of: location) != content)
    }

    @Test("a camera has the names that its cards tell together, and a master the section that was kept")
    func camera() throws {
        let kind = HeaderEntry("IMAGETYP", .text("LIGHT"))
        let own = try read([kind, HeaderEntry("INSTRUME", .text("ZWO ASI1600")), HeaderEntry("DETECTOR", .text("A 7"))])
        #expect(own?.values == [.camera: "ZWO ASI1600+A 7"])
        #expect(GroupKey("Camera") == .camera)
        let master = try read([
            HeaderEntry("IMAGETYP", .text("master bias")), HeaderEntry("CALTRIM", .text("[3:32,1:20]")),
            HeaderEntry("SUBOSCAN", .text("ccd=<CCDData>, overscan=x")), HeaderEntry("XORGSUBF", .integer(5)),
        ])
        #expect(master?.kept == PixelSection(x: 2..<32, y: 0..<20) && master?.hasOverscan == true)
        #expect(master?.window == "XORGSUBF = 5.0" && master?.master == .init(lacksBias: false))
    }

    @Test("sections of the header are used unless others are given")
    func sections() throws {
        let cards = [
            HeaderEntry("IMAGETYP", .text("LIGHT")), HeaderEntry("TRIMSEC", .text("[3:22,1:20]")),
            HeaderEntry("BIASSEC", .text("[23:30,1:20]")),
        ]
        let own = try #require(try read(cards))
        #expect(own.hasOverscan && own.isTrimmed && own.size == .init(width: 20, height: 20))
        let none = try #require(try read(cards, NightSections(overscan: SectionChoice.none, trim: SectionChoice.none)))
        #expect(!none.hasOverscan && !none.isTrimmed && none.size == .init(width: 30, height: 20))
        let given = try #require(try read([cards[0]], NightSections(trim: .section("[1:10,1:10]"))))
        #expect(!given.hasOverscan && given.size == .init(width: 10, height: 10))
        #expect(own.sections != given.sections)
    }

    @Test("a frame whose header does not tell what it is, is named; one of another kind is left out")
    func unknown() throws {
        #expect(try read([HeaderEntry("IMAGETYP", .text("focus"))]) == nil)
        #expect(throws: ScanSetupError.self) { try read([HeaderEntry("IMAGETYP", .text("quux"))]) }
        #expect(throws: ScanSetupError.self) { try read([]) }
        // A card that is used for something else does not hide the kind.
        let frame = try read([HeaderEntry("FRAME", .text("FK5")), HeaderEntry("IMAGETYP", .text("bias"))])
        #expect(frame?.kind == .bias)
        let other = try read([HeaderEntry("OBSTYPE", .text("OBJECT")), HeaderEntry("IMAGETYP", .text("EXT"))])
        #expect(other?.kind == .light)
    }
}
