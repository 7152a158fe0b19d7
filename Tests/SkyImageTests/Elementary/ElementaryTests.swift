import CElementary
import Foundation
import Testing

/// scripts/equal-bits compares the functions with MPFR; these tests hold its values of arguments that are hard to round.
@Suite("Elementary functions") struct ElementaryTests {
    private static let functions: [String: @Sendable (Double) -> Double] = [
        "exp": Elementary.exp, "exp10": Elementary.exp10, "log": Elementary.log, "log10": Elementary.log10,
        "sin": Elementary.sin, "cos": Elementary.cos, "tan": Elementary.tan, "asin": Elementary.asin,
        "acos": Elementary.acos, "atan": Elementary.atan,
    ]

    /// The arguments of 400,000 whose values are nearest to the middle between two doubles, and published ones, with the
    /// values of MPFR 4.2.
    private static let hard: [(name: String, argument: Double, value: Double)] = [
        ("exp", 0x1.0f80bdac1c45cp+3, 0x1.2e702925cf5ccp+12), ("exp", 0x1.84c94600ad9p-1, 0x1.11855f7ca9363p+1),
        ("exp", 0x1.0ddc01aab70dap+4, 0x1.426bbbf2708aap+24), ("exp", 0x1.000a0e513f8aap+4, 0x1.0fd962850f84fp+23),
        ("exp10", 0x1.4cf2194547008p+1, 0x1.8f26e6dd29a7p+8), ("exp10", 0x1.5bb623eb1a6ep+3, 0x1.119e1bb4a5577p+36),
        ("exp10", 0x1.7d62e1d53b84p+3, 0x1.81d347541651bp+39),
        ("exp10", -0x1.b0a37fc6d0213p+2, 0x1.753530113fffdp-23), ("log", 0x1.28ba37955d3f5p+6, 0x1.139e04296a283p+2),
        ("log", 0x1.4d5496235fbd5p+4, 0x1.84ad86019f97ep+1), ("log", 0x1.61636ac75d15fp+3, 0x1.336f387e0c407p+1),
        ("log", 0x1.41be485166898p+6, 0x1.18cc237d99564p+2), ("log10", 0x1.82eb3c42981fcp+5, 0x1.af3d5abb9b078p+0),
        ("log10", 0x1.ed32089dbc838p+5, 0x1.ca38ca9dab89cp+0), ("log10", 0x1.e600693a44da9p+5, 0x1.c896954bc10f4p+0),
        ("log10", 0x1.1831c3723427p+6, 0x1.d86c190bac8bp+0), ("sin", -0x1.e02ab88a52115p+1, 0x1.252fd76a92c05p-1),
        ("sin", 0x1.7cd2a01664f2ap+2, -0x1.4e8f5f4f5db67p-2), ("sin", -0x1.6e9a1f38dc2bep+2, 0x1.0dceae706d7dep-1),
        ("sin", 0x1.60551d7fc226p+2, -0x1.6758c97fbee4ap-1), ("cos", 0x1.5018bfaf714cp+1, -0x1.bd60e890d10fep-1),
        ("cos", 0x1.04d6a33668d18p+1, -0x1.cd04a469bb10ep-2), ("cos", 0x1.50f3290de6df4p+2, 0x1.0caf7c2834adep-1),
        ("cos", -0x1.7a05ee284f794p+0, 0x1.810ab056375acp-4), ("tan", 0x1.1b7bb0213d3f4p+2, 0x1.b837177e93cdp+1),
        ("tan", -0x1.4102ad9fa07bp+2, 0x1.98dc5f385aba4p+1), ("tan", -0x1.e0cf6824b69dp-1, -0x1.5dd97caa7944p+0),
        ("tan", -0x1.bea882b78fcp+0, 0x1.6c2d4288434d2p+2), ("asin", -0x1.a6cfccf95cdbp-3, -0x1.a9dfd55eac56bp-3),
        ("asin", 0x1.8a7715b3e46e6p-1, 0x1.c251d9e4b2ac2p-1), ("asin", 0x1.039b243f5662ap-1, 0x1.10419df432ec2p-1),
        ("asin", -0x1.4e054c3f9ee58p-3, -0x1.4f85012ec97e1p-3), ("acos", -0x1.57c37008b327p-4, 0x1.a7a26682d42cdp+0),
        ("acos", 0x1.20d4c996208ap-3, 0x1.6de6318069d13p+0), ("acos", 0x1.21b426af41478p-3, 0x1.6dc9fd7b7d304p+0),
        ("acos", -0x1.932ec0374c4b4p-1, 0x1.3d1e2c3f13308p+1), ("atan", -0x1.d991e1f5e567p-1, -0x1.7e2b6de911694p-1),
        ("atan", -0x1.5128590b3f866p+2, -0x1.6219c9a2c478cp+0), ("atan", 0x1.7c3c7b800c07p+0, 0x1.f4dbc21b9bad1p-1),
        ("atan", -0x1.719fb23deecep+1, -0x1.3cc7c58351991p+0), ("exp", 0x1.0122ef37212ebp-1, 0x1.a702b2ce91b3p+0),
        ("exp", 0x1.3a6c53d5a0f79p+0, 0x1.b522f7965bf71p+1), ("exp", -0x1.74385446d71c3p+9, 0x0.0000000000001p-1022),
        ("log", 0x1.a6ae5142326b5p+0, 0x1.00bcc31ebded7p-1), ("log", 0x1.1921e231643d8p+7, 0x1.3c85feb3e7c23p+2),
        ("log", 0x0.0000000000001p-1022, -0x1.74385446d71c3p+9), ("log", 0x1.fffffffffffffp-1, -0x1.0p-53),
        ("sin", 0x1.6ac5b262ca1ffp+849, 0x1.0p+0), ("cos", 0x1.6ac5b262ca1ffp+849, -0x1.14ae72e6ba22fp-61),
        ("sin", 0x1.fffffffffffffp+1023, 0x1.452fc98b34e97p-8),
        ("cos", 0x1.fffffffffffffp+1023, -0x1.fffe62ecfab75p-1), ("sin", 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53),
        ("cos", 0x1.921fb54442d18p+1, -0x1.0p+0), ("atan", 0x1.00aa39615214ep-23, 0x1.00aa396152139p-23),
        ("atan", 0x1.02a3ad2ef6f3cp-24, 0x1.02a3ad2ef6f37p-24), ("atan", 0x1.01e031e16cc19p+43, 0x1.921fb54442b1cp+0),
    ]

    @Test("give the nearest double where it is hard to decide")
    func hardArguments() throws {
        for (name, argument, value) in Self.hard {
            let function = try #require(Self.functions[name])
            #expect(function(argument) == value, "\(name)(\(argument))")
        }
    }

    @Test("give what is known without error, and round a tie to even")
    func exact() {
        for power in 0...22 {
            let expected = Double("1e\(power)")
            #expect(Elementary.exp10(Double(power)) == expected && Elementary.pow(10, Double(power)) == expected)
            #expect(Elementary.log10(Elementary.exp10(Double(power))) == Double(power))
        }
        // 54 bits each.
        #expect(Elementary.exp10(23) == 1e23 && Elementary.pow(9, 17) == 16_677_181_699_666_568)
        #expect(
            Elementary.pow(0.25, -1.5) == 8 && Elementary.pow(-3, 3) == -27 && Elementary.pow(2, -1074) == 0x1p-1074)
        #expect(Elementary.exp(Float(1)) == 2.7182817 && Elementary.exp(Float(-103.9)) == 0x1p-149)
    }

    @Test("have the special values of C99, Annex F")
    func special() {
        let (inf, zero) = (Double.infinity, 0.0)
        let expected: [(String, Double, Double)] = [
            ("exp", zero, 1), ("exp", -inf, 0), ("exp", inf, inf), ("exp", 709.79, inf), ("exp", -745.2, 0),
            ("exp10", 309, inf), ("exp10", -324, 0), ("exp10", -323.3, 0x1p-1074), ("log", 1, zero),
            ("log", zero, -inf),
            ("log", -zero, -inf), ("log", inf, inf), ("log10", 1, zero), ("log10", zero, -inf), ("log10", inf, inf),
            ("sin", zero, zero), ("sin", -zero, -zero), ("cos", zero, 1), ("tan", -zero, -zero),
            ("sin", 1e-300, 1e-300),
            ("asin", -zero, -zero), ("asin", 1, .pi / 2), ("acos", 1, zero), ("acos", -1, .pi), ("atan", -zero, -zero),
            ("atan", inf, .pi / 2), ("atan", -inf, -.pi / 2),
        ]
        for (name, argument, value) in expected {
            let found = Self.functions[name]?(argument)
            #expect(found == value && found?.sign == value.sign, "\(name)(\(argument))")
        }
        for (name, argument) in [
            ("log", -1), ("log10", -inf), ("sin", inf), ("cos", -inf), ("tan", inf), ("asin", 1.1),
        ] {
            #expect(Self.functions[name]?(argument).isNaN == true, "\(name)(\(argument))")
        }
        for function in Self.functions.values { #expect(function(.nan).isNaN) }
    }

    @Test("in vectors have the values of one argument, also beyond normal numbers", arguments: [0, 1, 7, 64, 1000])
    func vectors(count: Int) {
        let special: [Double] = [0, -0.0, 709.79, -745.2, -1e300, 1e300, .infinity, -.infinity, .nan, 1, -1, 2, 0.5]
        let arguments: [Double] = (0..<count).map { (index: Int) -> Double in
            if index % 5 == 0 { return special[index / 5 % special.count] }
            return Double(index * 7919 % 1453) - 726.3
        }
        var values = arguments
        func compare(_ words: String, _ function: (Double) -> Double) {
            for (value, argument) in zip(values, arguments) {
                let expected = function(argument)
                #expect(value == expected || (value.isNaN && expected.isNaN), "\(words) \(argument)")
            }
        }
        Elementary.exps(of: arguments, into: &values, count: count)
        compare("exp", Elementary.exp)
        let bases: [Double] = [7.3, 1, 0, -0.0, -2, 0x1p-1060, 1e300, .infinity, -.infinity, .nan]
        for base in bases {
            Elementary.powers(of: base, exponents: arguments, into: &values, count: count)
            compare("\(base) to the power of") { Elementary.pow(base, $0) }
        }
    }

    @Test("of two arguments have the special values of the C library")
    func specialPairs() {
        let values: [Double] = [
            0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1e308, -1e308, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
            0x1p53, 0x1p53 - 1, -0x1p53 + 1,
            .infinity, -.infinity, .nan,
        ]
        for x in values {
            for y in values {
                let pairs = [(Elementary.pow(x, y), pow(x, y)), (Elementary.atan2(x, y), atan2(x, y))]
                for (own, theirs) in pairs {
                    let isSame = own.isNaN ? theirs.isNaN : abs(own / theirs - 1) < 1e-15 || own == theirs
                    #expect(isSame && (own.isNaN || own.sign == theirs.sign), "\(x), \(y): \(own), \(theirs)")
                }
            }
        }
    }
}
