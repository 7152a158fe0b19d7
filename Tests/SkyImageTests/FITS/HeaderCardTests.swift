import Testing

import SkyFITS

@Suite("the value of a card")
struct HeaderCardTests {
    @Test(
        "is read as the standard says",
        arguments: [
            ("CRPIX1  =                1.5D2 / comment", .number(150, "1.5D2")),
            ("CRPIX1  = -.5e-1", .number(-0.05, "-.5e-1")),
            ("N       = 12/3", .number(12, "12")), ("N       = 'it''s  ' / text", .text("it's")),
            ("N       = '  to the right'", .text("  to the right")), ("N       = ''", .text("")),
            ("N       =                    T", .logical(true)), ("N       = F / no", .logical(false)),
            ("N       = ", .undefined), ("N       = / nothing", .undefined), ("N       =5", .malformed),
            ("N       = 'open", .malformed), ("N       = 'one' two", .malformed), ("N       = 5 deg", .malformed),
            ("N       = 1E999", .malformed), ("N       = (1, 2)", .malformed), ("N       = nan", .malformed),
            ("N       = 0x10", .malformed), ("N       = 1,5", .malformed), ("N       = 1e5e5", .malformed),
        ] as [(String, HeaderCard.Value)])
    func value(card: String, value: HeaderCard.Value) { #expect(HeaderCard(card.utf8)?.value == value) }

    @Test("a card without an equals sign in its place has none; a keyword in lower case is that in capitals")
    func keyword() {
        for card in ["COMMENT = 5 is no number", "HIERARCH ESO N = 5", "N = 5", "", "END"] {
            #expect(HeaderCard(card.utf8)?.keyword != "N" && HeaderCard(card.utf8)?.keyword != "ESO")
        }
        #expect(HeaderCard("crval1  = 5.0".utf8)?.keyword == "CRVAL1")
    }

    @Test("a string that CONTINUE cards extend is one value")
    func continued() {
        let header = FITSHeader(cards: [
            "A       = 'one &'", "CONTINUE  'two&' / words", "CONTINUE  ''", "B       = 'no&'", "C       = 5",
            "CONTINUE  'x'",
        ])
        #expect(header.text("A") == "one two" && header.text("B") == "no&" && header.text("C") == nil)
    }
}
