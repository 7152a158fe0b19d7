import SkyCalibration
import SkyFITS
import Testing

@Suite struct PixelSectionTests {
    @Test("sections are parsed as in headers")
    func parse() {
        #expect(PixelSection("[2:5,1:3]") == PixelSection(x: 1..<5, y: 0..<3))
        #expect(PixelSection(" [ 2:5 , 1:3 ] ")?.description == "[2:5,1:3]")
        #expect(PixelSection("[*,4:4]", width: 7, height: 9) == PixelSection(x: 0..<7, y: 3..<4))
    }

    @Test(
        "what is no section is refused",
        arguments: [
            "", "[]", "[1:2]", "[2:1,1:2]", "[0:2,1:2]", "[1:2,1:2,1:2]", "[a:b,1:2]", "[*,1:2]", "[1,2]",
            "[9223372036854775760:9223372036854775799,1:2]",
        ])
    func refused(text: String) {
        #expect(PixelSection(text) == nil)
    }

    @Test("BIASSEC and TRIMSEC or DATASEC tell the sections")
    func noao() {
        let header = FITSHeader(cards: ["BIASSEC = '[9:10,1:6]'", "DATASEC = '[1:8,1:6]'"])
        let sections = FrameSections(ImageCards(header: header), width: 10, height: 6)
        #expect(sections.overscan == PixelSection(x: 8..<10, y: 0..<6))
        #expect(sections.trim == PixelSection(x: 0..<8, y: 0..<6))
    }

    @Test("ESO's numbers of the only output tell the sections")
    func eso() {
        let header = FITSHeader(cards: [
            "HIERARCH ESO DET OUTPUTS = 1 / outputs", "HIERARCH ESO DET OUT1 PRSCX = 3 / prescan",
            "HIERARCH ESO DET OUT1 OVSCX = 4", "HIERARCH ESO DET OUT1 OVSCY = 2",
        ])
        let sections = FrameSections(ImageCards(header: header), width: 20, height: 10)
        #expect(sections.overscan == PixelSection(x: 16..<20, y: 0..<8))
        #expect(sections.trim == PixelSection(x: 3..<16, y: 0..<8))
        let two = FITSHeader(cards: ["HIERARCH ESO DET OUTPUTS = 2", "HIERARCH ESO DET OUT1 OVSCX = 4"])
        #expect(FrameSections(ImageCards(header: two), width: 20, height: 10).trim == nil)
        let huge = FITSHeader(cards: [
            "HIERARCH ESO DET OUT1 PRSCX = 9223372036854775807", "HIERARCH ESO DET OUT1 OVSCX = 4",
        ])
        #expect(FrameSections(ImageCards(header: huge), width: 20, height: 10).trim == nil)
    }
}
