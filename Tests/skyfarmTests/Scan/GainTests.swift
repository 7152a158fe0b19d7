import CommandLineKit
import SkyImage
import Testing

@testable import skyfarm

struct GainTests {
    private let header = FITSHeader(cards: [
        "SIMPLE  =                    T", "GAIN    =                  3.7 / e/DN conversion", "EGAIN   = '1.25    '",
        "DGAIN   =              1.5D+00", "BADGAIN =                 -2.0",
    ])

    @Test(
        "takes a number, a keyword or none",
        arguments: [
            ("1.5", Gain.electrons(1.5)), ("none", Gain.none), ("gain", .keyword("GAIN")), ("0", nil), ("-1", nil),
            ("nan", nil), ("inf", nil), ("TOOLONGKEY", nil), ("A B", nil), ("", nil),
        ] as [(String, Gain?)])
    func parsing(text: String, gain: Gain?) { #expect(Gain.form.parse(text) == gain) }

    @Test(
        "of a header",
        arguments: [
            (Gain.keyword("GAIN"), 3.7), (.keyword("EGAIN"), 1.25), (.keyword("DGAIN"), 1.5), (.none, 0),
            (.electrons(2), 2),
        ])
    func value(gain: Gain, expected: Double) throws {
        #expect(try gain.value(in: header, of: "x.fits") == expected)
    }

    @Test("GAIN may be absent, any other keyword must be there and be a gain")
    func absent() throws {
        #expect(try Gain.keyword("GAIN").value(in: FITSHeader(cards: []), of: "x.fits") == 0)
        for keyword in ["NOGAIN", "BADGAIN"] {
            let error = #expect(throws: CommandError.self) {
                try Gain.keyword(keyword).value(in: header, of: "x.fits")
            }
            #expect(error?.code == .input)
            #expect(error?.description.contains(keyword) == true)
        }
    }
}
