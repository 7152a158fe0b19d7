import CommandLineKit
import Foundation
import SkyFITS
import Testing

import ImageScanning

struct GainTests {
    private let header = FITSHeader(cards: [
        "SIMPLE  =                    T", "GAIN    =                  3.7 / e/DN conversion", "EGAIN   = '1.25    '",
        "DGAIN   =              1.5D+00", "BADGAIN =                 -2.0",
    ])

    @Test(
        "takes a number, a keyword or none",
        arguments: [
            ("1.5", Gain.electrons(1.5)), ("none", Gain.none), ("gain", .keyword("GAIN")), ("0", nil), ("-1", nil),
            ("auto", .automatic), ("nan", nil), ("inf", nil), ("TOOLONGKEY", nil), ("A B", nil), ("", nil),
        ] as [(String, Gain?)])
    func parsing(text: String, gain: Gain?) { #expect(Gain.form.parse(text) == gain) }

    @Test(
        "of a header",
        arguments: [
            (Gain.keyword("GAIN"), 3.7), (.keyword("EGAIN"), 1.25), (.keyword("DGAIN"), 1.5), (.none, 0),
            (.electrons(2), 2), (.automatic, 1.25),
        ])
    func value(gain: Gain, expected: Double) throws {
        #expect(try gain.found(in: ImageCards(header: header), of: "x.fits").value == expected)
    }

    @Test("GAIN may be absent, any other keyword must be there and be a gain")
    func absent() throws {
        #expect(try Gain.keyword("GAIN").found(in: ImageCards(header: FITSHeader(cards: [])), of: "x.fits").value == 0)
        for keyword in ["NOGAIN", "BADGAIN"] {
            let error = #expect(throws: CommandError.self) {
                try Gain.keyword(keyword).found(in: ImageCards(header: header), of: "x.fits")
            }
            #expect(error?.code == .input)
            #expect(error?.description.contains(keyword) == true)
        }
    }

    /// A header of cards such as `GAIN = 60`.
    private func found(_ gain: Gain, _ own: [String], primary: [String] = [], integers: Bool = false) throws
        -> Gain.Found
    {
        func header(_ cards: [String]) -> FITSHeader {
            FITSHeader(
                cards: cards.map { card in
                    let parts = card.split(separator: " = ", maxSplits: 1)
                    return parts[0].padding(toLength: 8, withPad: " ", startingAt: 0) + "= " + parts[1]
                })
        }
        let cards = ImageCards(header: header(own), primary: header(primary), holdsIntegers: integers)
        return try gain.found(in: cards, of: "x.fits")
    }

    @Test("EGAIN goes before a GAIN that is a camera's setting, with a word")
    func settings() throws {
        let both = try found(.automatic, ["GAIN = 60", "EGAIN = 0.25"])
        #expect(both.value == 0.25 && both.warning?.contains("GAIN 60") == true)
        #expect(try found(.automatic, ["GAIN = 'AUTO'", "EGAIN = 0.25"]).warning?.contains("AUTO") == true)
        #expect(try found(.automatic, ["GAIN = 0.25", "EGAIN = 0.25"]) == Gain.Found(value: 0.25))
        #expect(try found(.automatic, ["EGAIN = 0.25"]) == Gain.Found(value: 0.25))
        #expect(try found(.automatic, ["GAIN = 1.5"]) == Gain.Found(value: 1.5))
        #expect(try found(.automatic, ["GAIN = 1.5", "EGAIN = 0"]) == Gain.Found(value: 1.5))
        // Named, it is used, and doubted.
        for gain in [Gain.keyword("GAIN"), .preferred(keyword: "GAIN", otherwise: 0)] {
            let named = try found(gain, ["GAIN = 60", "EGAIN = 0.25"])
            #expect(named.value == 60 && named.warning?.contains("EGAIN 0.25") == true)
        }
        #expect(try found(.keyword("EGAIN"), ["GAIN = 60", "EGAIN = 0.25"]) == Gain.Found(value: 0.25))
    }

    @Test("a GAIN that is doubtful by itself is named: text, beside OFFSET, large with integers")
    func doubts() throws {
        for gain in [Gain.automatic, .keyword("GAIN")] {
            let text = try found(gain, ["GAIN = 'AUTO'"])
            #expect(text.value == 0 && text.warning?.contains("AUTO") == true)
        }
        let other = try found(.preferred(keyword: "GAIN", otherwise: 2), ["GAIN = 'high'"])
        #expect(other.value == 2 && other.warning?.contains("high") == true)
        #expect(try found(.automatic, ["GAIN = 10", "OFFSET = 21"]).warning?.contains("OFFSET") == true)
        #expect(try found(.automatic, ["GAIN = 139"], integers: true).warning?.contains("setting") == true)
        #expect(try found(.automatic, ["GAIN = 139"]) == Gain.Found(value: 139))
        #expect(try found(.automatic, ["GAIN = 2"], integers: true) == Gain.Found(value: 2))
    }

    @Test("a card of the primary header holds for an extension that lacks it, unless INHERIT is F")
    func inheritance() throws {
        let inherited = try found(.automatic, ["EXTNAME = 'CCD1'"], primary: ["GAIN = 1.5"])
        #expect(inherited.value == 1.5 && inherited.warning?.contains("primary header") == true)
        #expect(try found(.automatic, ["INHERIT = T"], primary: ["EGAIN = 1.5"]).value == 1.5)
        #expect(try found(.automatic, ["INHERIT = F"], primary: ["GAIN = 1.5"]) == Gain.Found(value: 0))
        #expect(try found(.automatic, ["GAIN = 3"], primary: ["GAIN = 1.5"]) == Gain.Found(value: 3))
    }
}
