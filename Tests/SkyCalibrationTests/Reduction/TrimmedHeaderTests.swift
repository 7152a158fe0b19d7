import SkyFITS
import Testing

@testable import SkyCalibration

@Suite struct TrimmedHeaderTests {
    @Test("coordinates and sections refer to the part that is kept")
    func header() {
        let header = FITSHeader(cards: [
            "CRPIX1  = 100.5", "CRPIX2  = 50", "CRPIX1A = 3", "LTV1    = -2.0", "BIASSEC = '[31:33,1:40]'",
            "DATASEC = '[3:30,1:40]'", "CCDSEC  = '[103:130,1:40]'", "DETSEC  = '[130:103,1:40]'",
        ])
        let trim = PixelSection(x: 4..<30, y: 5..<40)
        let changes = TrimmedHeader.changes(header, trim: trim, width: 33, height: 40)
        let values = Dictionary(uniqueKeysWithValues: changes.entries.map { ($0.key, $0.value) })
        #expect(values["CRPIX1"] == .real(96.5) && values["CRPIX2"] == .real(45) && values["CRPIX1A"] == .real(-1))
        #expect(values["LTV1"] == .real(-6) && values["DATASEC"] == .text("[1:26,1:35]"))
        #expect(values["CCDSEC"] == .text("[105:130,6:40]"))
        #expect(changes.removed == ["BIASSEC", "DETSEC"])
        let whole = PixelSection(width: 33, height: 40)
        #expect(!changes.entries.contains { $0.key == "LTV2" })
        #expect(TrimmedHeader.changes(header, trim: whole, width: 33, height: 40) == TrimmedHeader.Changes())
    }

    @Test("only the cards of the first two axes are shifted, in every description, and what no card tells is 0")
    func axes() {
        let header = FITSHeader(cards: [
            "CRPIX1  = 10.", "CRPIX2B = 20.", "CRPIX3  = 1.", "CRPIX10 = 5.", "CRPIX12 = 6.", "CRPIX10A= 7.",
            "CRPIX21 = 8.",
            "CRPIX29Z= 9.", "CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'", "CTYPE1C = 'XPOS'", "CTYPE11 = 'FREQ'",
            "LTM1_1  = 0.5", "LTM2_2  = 0.5", "LTV2    = 3.", "LTV3    = 4.", "CNPIX1  = 100", "ATV1    = 1.",
            "DTV1    = 2.",
        ])
        let changes = TrimmedHeader.changes(
            header, trim: PixelSection(x: 4..<30, y: 5..<40), width: 33, height: 40)
        let values = Dictionary(uniqueKeysWithValues: changes.entries.map { ($0.key, $0.value) })
        #expect(
            values == [
                "CRPIX1": .real(6), "CRPIX2B": .real(15), "CRPIX2": .real(-5), "CRPIX1C": .real(-4), "LTV1": .real(-4),
                "LTV2": .real(-2), "CNPIX1": .real(104),
            ])
    }

    @Test("sections of several outputs, which the trimmed image has not, are removed")
    func outputs() {
        let header = FITSHeader(cards: [
            "BIASSEC1= '[31:33,1:40]'", "BIASSECA= '[1:2,1:40]'", "DATASECA= '[3:30,1:40]'", "CCDSECA = '[3:30,1:40]'",
            "TSEC11  = '[3:16,1:20]'", "BSEC11  = '[31:33,1:20]'", "CSEC11  = '[1:14,1:20]'", "SECT    = 'x'",
            "DATE-OBS= '2026-01-10'", "ORIGSEC = '[1:33,1:40]'",
        ])
        let changes = TrimmedHeader.changes(
            header, trim: PixelSection(x: 2..<30, y: 0..<40), width: 33, height: 40)
        #expect(changes.removed == ["BIASSEC1", "BIASSECA", "DATASECA", "CCDSECA", "TSEC11", "BSEC11"])
    }
}
