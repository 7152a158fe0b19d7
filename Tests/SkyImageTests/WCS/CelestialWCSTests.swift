import Foundation
import SkyTestSupport
import Testing

import SkyFITS

@Suite(.enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
struct CelestialWCSAstropyTests {
    @Test(
        "right ascension and declination of real images equal astropy's within 1e-8 degrees",
        .enabled(if: !RealImages.all.isEmpty, Comment(rawValue: RealImages.missing)),
        arguments: RealImages.all.filter(\.hasCoordinates))
    func realImages(real: RealImage) throws {
        let image = try FITSImage(real.path)
        #expect(image.hduNumber == real.hdu)
        let wcs = try CelestialWCS(header: image.header)
        let grid = Grid(width: image.width, height: image.height)
        let expected = try astropy(place: "\(real.path) \(real.hdu)", grid)
        try compare(wcs.coordinates(x: grid.x, y: grid.y), expected)
    }

    @Test("right ascension and declination of each kind of header equal astropy's", arguments: SyntheticHeader.all)
    func syntheticHeaders(_ synthetic: SyntheticHeader) throws {
        let folder = try TemporaryFolder()
        let header = FITSHeader(cards: synthetic.cards)
        let path = try folder.write(FITSHeader(cards: synthetic.meaning ?? synthetic.cards).bytes, "header")
        let wcs = try CelestialWCS(header: header)
        let grid = Grid(width: 1000, height: 800)
        let expected = try astropy(place: "\(path) header", grid)
        try compare(wcs.coordinates(x: grid.x, y: grid.y), expected)
    }

    private func astropy(place: String, _ grid: Grid) throws -> [Double] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("astropy_coordinates.py").path
        let text = "\(place)\n" + [grid.x, grid.y].map { $0.map(\.description).joined(separator: " ") + "\n" }.joined()
        return try AstropyPython.run([script], input: text).split(whereSeparator: \.isWhitespace).map {
            try #require(Double($0), "astropy printed \($0)")
        }
    }

    private func compare(_ own: (rightAscension: [Double], declination: [Double]), _ expected: [Double]) throws {
        try #require(expected.count == own.rightAscension.count * 2)
        #expect(own.declination.contains { !$0.isNaN })
        for (index, (ra, dec)) in zip(own.rightAscension, own.declination).enumerated() {
            let (wantedRA, wantedDec) = (expected[2 * index], expected[2 * index + 1])
            guard !wantedRA.isNaN else {
                #expect(ra.isNaN && dec.isNaN, "position \(index) is outside the projection")
                continue
            }
            #expect((0..<360).contains(ra))
            #expect(abs((ra - wantedRA).remainder(dividingBy: 360)) < 1e-8, "position \(index): \(ra) \(wantedRA)")
            #expect(abs(dec - wantedDec) < 1e-8, "position \(index): \(dec) \(wantedDec)")
        }
    }
}

struct CelestialWCSTests {
    @Test("the reference pixel of an undistorted header has the reference coordinates")
    func referencePixel() throws {
        let header = FITSHeader(cards: SyntheticHeader.linear("RA---TAN", "DEC--TAN", [150, 2]))
        let (ra, dec) = try CelestialWCS(header: header).coordinates(x: [511], y: [399])
        #expect(abs(ra[0] - 150) < 1e-12)
        #expect(abs(dec[0] - 2) < 1e-12)
    }

    @Test("the galactic centre has its known coordinates")
    func galacticCentre() throws {
        let header = FITSHeader(cards: SyntheticHeader.linear("GLON-TAN", "GLAT-TAN", [0, 0]))
        let wcs = try CelestialWCS(header: header)
        let (ra, dec) = wcs.coordinates(x: [511], y: [399])
        #expect(wcs.frame == .galactic)
        #expect(wcs.referenceSystem == "ICRS")
        // 17h45m37.199s, -28d56m10.22s in FK5 J2000.
        #expect(abs(ra[0] - 266.40500) < 2e-5)
        #expect(abs(dec[0] + 28.93617) < 2e-5)
    }

    @Test("many positions give the same coordinates as one at a time", arguments: [4095, 4096, 4097])
    func chunks(count: Int) throws {
        let wcs = try CelestialWCS(header: FITSHeader(cards: SyntheticHeader.linear("RA---TAN", "DEC--TAN", [150, 2])))
        let x = (0..<count).map { Double($0 % 97) }
        let y = (0..<count).map { Double($0 % 89) }
        let (ra, dec) = wcs.coordinates(x: x, y: y)
        try #require(ra.count == count && dec.count == count)
        let last = wcs.coordinates(x: [x[count - 1]], y: [y[count - 1]])
        #expect(last.rightAscension[0] == ra[count - 1] && last.declination[0] == dec[count - 1])
    }

    @Test(
        "the reference system is the header's, or the standard's choice where it names none",
        arguments: [
            (["RADESYS = 'FK4'"], "FK4"), (["EQUINOX = 2000.0"], "FK5"), (["EQUINOX = 1950.0"], "FK4"), ([], "ICRS"),
            (["RADECSYS= 'FK5'"], "FK5"),
        ])
    func referenceSystem(cards: [String], system: String) throws {
        let header = FITSHeader(cards: SyntheticHeader.linear("RA---TAN", "DEC--TAN", [150, 2]) + cards)
        #expect(try CelestialWCS(header: header).referenceSystem == system)
    }

    @Test(
        "a header without usable celestial coordinates gives a reason",
        arguments: [
            ([], "no celestial"), (["CTYPE1  = ''", "CTYPE2  = ''"], "no celestial"),
            (SyntheticHeader.linear("ELON-TAN", "ELAT-TAN", [10, 10]), "ELON and ELAT"),
            (SyntheticHeader.linear("RA---XYZ", "DEC--XYZ", [10, 10]), "unusable"),
            (["CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--SIN'"], "unusable"),
            (["CTYPE1  = 'WAVE'", "CTYPE2  = 'OFFSET'"], "no celestial"),
            // WCSLIB would follow the string, which does not end, through its memory.
            (["CTYPE1  = 'RA---TAN\u{10}", "CTYPE2  = 'DEC--TAN'"], "unusable"),
            (["CTYPE1  = 'RA---TAN''", "CTYPE2  = 'DEC--TAN", "CTYPE3  = 'it''s'"], "no celestial"),
        ])
    func noCoordinates(cards: [String], reason: String) {
        let error = #expect(throws: WCSUnavailable.self) { try CelestialWCS(header: FITSHeader(cards: cards)) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }

    @Test("positions outside the projection are NaN")
    func outside() throws {
        let header = FITSHeader(cards: SyntheticHeader.linear("RA---SIN", "DEC--SIN", [150, 2], scale: 0.5))
        let (ra, dec) = try CelestialWCS(header: header).coordinates(x: [511, 5000], y: [399, 5000])
        #expect(!ra[0].isNaN && !dec[0].isNaN)
        #expect(ra[1].isNaN && dec[1].isNaN)
    }

    @Test(
        "a frame with odd cards and no coordinates gives a reason",
        .enabled(if: !RealImages.all.isEmpty, Comment(rawValue: RealImages.missing)),
        arguments: RealImages.all.filter { !$0.hasCoordinates })
    func oddCards(real: RealImage) throws {
        let image = try FITSImage(real.path)
        #expect(throws: WCSUnavailable.self) { try CelestialWCS(header: image.header) }
    }

    @Test(
        "a card on which positions depend, of the wrong type, is a reason for none",
        arguments: [
            (["A_ORDER = '2'", "B_ORDER = 2"], "A_ORDER"), (["A_ORDER = 2"], "only one"),
            (["A_ORDER = 12", "B_ORDER = 2"], "A_ORDER"), (["A_ORDER = 2.5", "B_ORDER = 2"], "A_ORDER"),
            (["A_ORDER = 2", "B_ORDER = 2", "A_2_0   = '1e-6'"], "A_2_0"), (["CRVAL1  = '150'"], "CRVAL1"),
            (["CRVAL1  ="], "CRVAL1"), (["CRVAL1  =5.0"], "CRVAL1"),
            (["CRPIX2  = 1E999"], "CRPIX2"), (["LONPOLE = 180 deg"], "LONPOLE"), (["CD1_1   = T"], "CD1_1"),
            (["PV2_1   = 'one'"], "PV2_1"), (["CTYPE1  = 'RA---TAB'"], "-TAB"), (["CTYPE2  = 5"], "CTYPE2"),
            (["CQDIS1  = 'TPD'"], "CQDIS1"), (["CUNIT1  = 'deg(('"], "CUNIT1"),
            // WCSLIB would write beyond a buffer.
            (["CTYPE1  = 'RA---TNX'", "CTYPE2  = 'DEC--TNX'", "WAT1_001= 'wtype=tnx axtype=ra'"], "WAT1_001"),
        ])
    func wrongType(cards: [String], reason: String) {
        let header = FITSHeader(cards: SyntheticHeader.linear("RA---TAN", "DEC--TAN", [150, 2]) + cards)
        let error = #expect(throws: WCSUnavailable.self) { try CelestialWCS(header: header) }
        #expect(error?.description.contains(reason) == true && error?.isAbsent == false)
    }

    @Test(
        "cards on which positions do not depend are ignored, whatever their values are",
        arguments: [
            ["A_2_0   = '1e-6'"], ["A_2_0   = 1e-3", "B_1_1   = 'x'"], ["A_ORDER = 1", "B_ORDER = 1", "A_1_0   = 0.5"],
            ["EQUINOX = '2000'"], ["RADESYS = 5"], ["CRVAL3  = 'RR Lyr'"], ["CROTA2  = 'unknown'"], ["CDELT1  = ''"],
            ["HIERARCH CRVAL1 = 5"], ["CRVAL1A = 5.0"], ["PV1_100 = 'x'"], ["WAT1_001= 'wtype=tnx'"],
            ["CTYPE3  = 'FREQ'", "CUNIT3  = 'no unit'", "RESTFRQ = 'x'"], ["CTYPE3  = 'WAVE-TAB'", "PS3_0   = 'T'"],
            ["CUNIT1  ="], ["DP1     = 'EXTVER'"],
        ])
    func ignored(cards: [String]) throws {
        let plain = SyntheticHeader.linear("RA---TAN", "DEC--TAN", [150, 2])
        let (x, y) = ([0.0, 700], [10.0, 300])
        let wanted = try CelestialWCS(header: FITSHeader(cards: plain)).coordinates(x: x, y: y)
        let wcs = try CelestialWCS(header: FITSHeader(cards: plain + cards))
        #expect(wcs.coordinates(x: x, y: y) == wanted)
        #expect(wcs.notes.isEmpty)
    }

    @Test(
        "a user is told when distortions are left out, or applied without a sign of it in CTYPE",
        arguments: [
            ("TAN-SIP", SyntheticHeader.sip, ""), ("TAN", SyntheticHeader.sip, "although CTYPE lacks -SIP"),
            ("TPV", SyntheticHeader.sip + SyntheticHeader.distortion, "SIP cards are not applied"),
            ("TAN", SyntheticHeader.sip + SyntheticHeader.distortion, "SIP cards are not applied"),
            ("TAN-SIP", SyntheticHeader.sip + SyntheticHeader.distortion, "PV cards are not applied"),
            ("TPV", SyntheticHeader.distortion, ""), ("TAN", SyntheticHeader.distortion, ""),
        ])
    func notes(type: String, cards: [String], note: String) throws {
        let header = SyntheticHeader.linear("RA---\(type)", "DEC--\(type)", [150, 2]) + cards
        let notes = try CelestialWCS(header: FITSHeader(cards: header)).notes
        #expect(note.isEmpty ? notes.isEmpty : notes.count == 1 && notes[0].contains(note), "\(notes)")
    }
}
