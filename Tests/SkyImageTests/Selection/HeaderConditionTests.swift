import Testing

import SkyFITS

@Suite("conditions on header cards") struct HeaderConditionTests {
    private let header = FITSHeader(cards: [
        "SIMPLE  =                    T", "IMAGETYP= 'LIGHT   '           / kind", "FILTER  = 'r       '",
        "EXPTIME =                 30.0", "GAIN    = '1.5 '", "OBJECT  = 'M 31 nucleus'",
        "DATE-OBS= '2026-01-02T03:04:05'",
        "OBSERVER= 'O''Neill'", "BIG     =  9007199254740993", "DARKCOR =                    F", "EMPTY   =",
        "BAD     = r", "HIERARCH ESO TEL AIRM START = 1.2 / airmass", "HIERARCH LSST.RUN = 'x'", "LONG    = 'one &'",
        "CONTINUE  'two'", "exptime = 5",
    ])

    private func verdict(_ text: String, primary: FITSHeader? = nil) throws -> HeaderCondition.Verdict {
        try HeaderCondition(text).verdict(header: header, primary: primary)
    }

    @Test(
        "that hold",
        arguments: [
            "IMAGETYP = 'LIGHT' and FILTER in ('g','r') and EXPTIME >= 30", "imagetyp='LIGHT  '", "FILTER == \"r\"",
            "FILTER != 'R'", "FILTER <> 'g'", "EXPTIME = 3.0D1", "EXPTIME < 30.5 and EXPTIME > -1", "GAIN = 1.5",
            "GAIN = '1.5'", "EXPTIME = '30'", "GAIN in (1, 1.5)", "OBJECT like 'M 31*'", "OBJECT like 'M ?1 n*s'",
            "OBJECT ilike 'm 31*'", "OBJECT not like 'm 31*'", "EXPTIME like '3*'", "DATE-OBS >= '2026-01-01'",
            "DATE-OBS < '2026-01-03'", "OBSERVER = 'O''Neill'", "OBSERVER = \"O'Neill\"", "BIG > 9007199254740992",
            "BIG != 9007199254740992", "DARKCOR = F", "DARKCOR != T", "SIMPLE in (T)", "NONE is missing",
            "EMPTY is missing", "FILTER is not missing", "BAD is not missing", "not (FILTER = 'g' or EXPTIME < 30)",
            "HIERARCH ESO TEL AIRM START < 1.5", "ESO.TEL.AIRM.START < 1.5", "hierarch lsst run = 'x'",
            "LSST.RUN = 'x'", "LONG = 'one two'", "NONE = 1 or FILTER = 'r'", "not not FILTER='r'",
            "FILTER = 'g' and NONE = 1 or EXPTIME = 30", "OBJECT like '*'", "FILTER not in ('g', 5)", "EXPTIME != 'x'",
        ])
    func holds(text: String) throws { #expect(try verdict(text).isTrue == true) }

    @Test(
        "that do not hold name the cards that decided",
        arguments: [
            ("FILTER = 'g'", "FILTER is 'r'"), ("FILTER = 'R'", "FILTER is 'r'"), ("EXPTIME > 30", "EXPTIME is 30.0"),
            ("FILTER = 'g' or EXPTIME < 30", "FILTER is 'r', EXPTIME is 30.0"),
            ("EXPTIME = 30 and FILTER in ('g', 'i')", "FILTER is 'r'"), ("DARKCOR = T", "DARKCOR is F"),
            ("not EXPTIME = 30", "EXPTIME is 30.0"), ("NONE = 1 and FILTER = 'g'", "FILTER is 'r'"),
            ("OBJECT like 'M 31'", "OBJECT is 'M 31 nucleus'"), ("EXPTIME = 'x'", "EXPTIME is 30.0"),
            ("FILTER is missing", "FILTER is 'r'"), ("SIMPLE = 1", "SIMPLE is T"),
        ])
    func fails(text: String, reason: String) throws {
        let verdict = try verdict(text)
        #expect(verdict.isTrue == false && verdict.reason == reason, "\(verdict)")
    }

    @Test(
        "with a card that is missing, or of another kind, are neither true nor false, and so are their opposites",
        arguments: [
            ("NONE = 1", "NONE is missing"), ("not NONE = 1", "NONE is missing"), ("NONE != 1", "NONE is missing"),
            ("EMPTY = ''", "EMPTY is missing"), ("BAD = 'r'", "BAD has no valid value"),
            ("NONE not in ('a')", "NONE is missing"), ("FILTER = 'r' and NONE like '*'", "NONE is missing"),
            ("FILTER = 'g' or NONE = 1", "NONE is missing"), ("FILTER < 5", "FILTER is 'r'"),
            ("HIERARCH ESO NONE = 1", "ESO NONE is missing"),
        ])
    func undecided(text: String, reason: String) throws {
        let verdict = try verdict(text)
        #expect(verdict.isTrue == nil && verdict.reason == reason, "\(verdict)")
    }

    @Test(
        "that are faulty are refused with the place",
        arguments: [
            ("", 0, "expected a test, as in FILTER = 'r'"), ("FILTER = g", 9, "a string needs quotes: 'g'"),
            ("FILTER = 'g", 9, "the string has no closing quote '"),
            ("(FILTER = 'g'", 13, "expected and, or, or a closing"),
            ("FILTER = 'g')", 12, "this parenthesis was not opened"), ("FILTER 'g'", 7, "expected =, !=, <, <=, >, >="),
            ("FILTER = 'g' EXPTIME > 3", 13, "expected and, or, or the end"),
            ("'FILTER' = 1", 0, "without quotes, such as"),
            ("FILTER in 'g'", 10, "expected a list in parentheses"), ("FILTER in ('g' 'r')", 15, "expected a comma or"),
            ("FILTER in ()", 11, "expected a value"), ("FILTER =", 8, "expected a value"),
            ("A & B", 2, "unexpected character"),
            ("FILTER is gone", 10, "expected missing"), ("FILTER not 5", 11, "expected in, like or ilike"),
            ("SIMPLE < T", 9, "T and F are compared by = or !="), ("FILTER like 5", 12, "expected a pattern in quotes"),
            ("HIERARCH = 5", 9, "expected the words of a HIERARCH"),
            ("and = 5", 0, "expected a keyword, such as FILTER"),
            ("FILTER = \u{2018}g\u{2019}", 9, "straight quotes"), ("A..B = 1", 0, "is no keyword"),
            ("A = 1e999", 4, "needs quotes"),
        ])
    func faulty(text: String, offset: Int, message: String) {
        let error = #expect(throws: ConditionError.self) { try HeaderCondition(text) }
        #expect(error?.offset == offset && error?.message.contains(message) == true, "\(String(describing: error))")
        #expect(
            error?.excerpt
                == "  \(String(text.map { $0.isASCII ? $0 : "?" }))\n  \(String(repeating: " ", count: offset))^")
    }

    @Test("of any depth and length are read or refused: the stack is not used up")
    func deep() throws {
        for prefix in ["(", "not ", "not ("] {
            #expect(throws: ConditionError.self) {
                try HeaderCondition(String(repeating: prefix, count: 500) + "A = 1")
            }
        }
        #expect(throws: ConditionError.self) {
            try HeaderCondition(String(repeating: "A = 1 or ", count: 1000) + "A = 1")
        }
        _ = try HeaderCondition(String(repeating: "(", count: 100) + "A = 1" + String(repeating: ")", count: 100))
        let long = String(repeating: "A = 1 or ", count: 100) + "B ! 1"
        let error = #expect(throws: ConditionError.self) { try HeaderCondition(long) }
        let lines = error?.excerpt.split(separator: "\n") ?? []
        #expect(lines.count == 2 && lines[0].hasPrefix("  ...") && lines.allSatisfy { $0.count < 110 })
        #expect(lines[0].dropFirst(lines[1].count - 1).hasPrefix("! 1"))
    }

    @Test(
        "an extension inherits the cards of the primary header, but not those about its structure, unless INHERIT is F")
    func inherited() throws {
        let primary = FITSHeader(cards: [
            "NAXIS   =                    0", "TELESCOP= 'VLT'", "FILTER  = 'i'", "EXTNAME = 'FIRST'", "EMPTY   = 5",
        ])
        #expect(try verdict("TELESCOP = 'VLT' and FILTER = 'r'", primary: primary).isTrue == true)
        #expect(try verdict("NAXIS is missing and EXTNAME is missing", primary: primary).isTrue == true)
        #expect(try verdict("EMPTY is missing", primary: primary).isTrue == true)
        let alone = FITSHeader(cards: ["INHERIT =                    F", "A       = 1"])
        let condition = try HeaderCondition("TELESCOP = 'VLT'")
        #expect(condition.verdict(header: alone, primary: primary).isTrue == nil)
        #expect(condition.verdict(header: FITSHeader(cards: ["INHERIT = T"]), primary: primary).isTrue == true)
    }

    @Test("of the table of a compressed image the cards of the image are asked")
    func compressed() throws {
        let table = FITSHeader(cards: [
            "XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 8", "ZIMAGE  =                    T",
            "ZBITPIX = 16", "ZNAXIS  = 2", "ZNAXIS1 = 3000", "EXTNAME = 'COMPRESSED_IMAGE'", "EXTNAME = 'SCI'",
            "FILTER  = 'r'",
        ])
        for text in ["NAXIS1 = 3000 and BITPIX = 16", "EXTNAME = 'SCI'", "FILTER = 'r'", "PCOUNT is missing"] {
            #expect(try HeaderCondition(text).verdict(header: table, primary: nil).isTrue == true, "\(text)")
        }
    }

    @Test(
        "wildcards match whole strings",
        arguments: [
            ("*", "", true), ("", "", true), ("?", "", false), ("a*b*c", "aXbXbc", true), ("a*b*c", "aXbX", false),
            ("*a", "aaab", false), ("*a*", "bab", true), ("a**", "a", true), ("??", "ab", true), ("[a]", "a", false),
        ])
    func wildcards(pattern: String, text: String, matches: Bool) throws {
        let header = FITSHeader(cards: ["A       = '\(text)'"])
        #expect(try HeaderCondition("A like '\(pattern)'").verdict(header: header, primary: nil).isTrue == matches)
    }
}
