import SkyFITS
import Testing

import SkyScan

@Suite("associations with a list of positions")
struct AssociationTests {
    /// Three entries near (50, 50), two near (150, 50), pixels from 1.
    private static let text = """
        # number x y magnitude value
        1 51.5 51 10 1
        2 51 51.2 11 2  # nearest
        3 52 51 9 3 star
        4 151 54.5 13 6
        5 150 51 0 2
        """

    private func association(_ rule: Association.Rule) throws -> Association {
        var association = try Association(parsing: Self.text, name: "a.list", keys: [2, 3, 4], data: [1, 5])
        (association.rule, association.radius) = (rule, 4)
        return association
    }

    private func match(_ rule: Association.Rule, x: Double) throws -> Association.Match {
        try #require(try association(rule).matches(x: [x], y: [50], nil).first)
    }

    // Numbers of source-extractor 2.25 for the same list.
    @Test("each rule gives source-extractor's values")
    func rules() throws {
        let near = try Dictionary(
            uniqueKeysWithValues: [
                Association.Rule.first, .nearest, .minimum, .maximum, .mean, .magnitudeMean, .sum, .magnitudeSum,
            ].map { ($0, try match($0, x: 50)) })
        #expect(near[.first] == .init(count: 1, values: [1, 1]))
        #expect(near[.nearest] == .init(count: 3, values: [2, 2]))
        #expect(
            near[.minimum] == .init(count: 3, values: [3, 3]) && near[.maximum] == .init(count: 3, values: [2, 2]))
        #expect(near[.sum] == .init(count: 3, values: [6, 6]))
        #expect(abs(try #require(near[.mean]).values[0] - 1.966667) < 1e-6)
        #expect(abs(try #require(near[.magnitudeMean]).values[0] - 2.386672) < 1e-6)
        #expect(abs(try #require(near[.magnitudeSum]).values[0] - 0.5195599) < 1e-6)
        // The first one is that of the lowest row.
        #expect(try match(.first, x: 150).values == [5, 2])
        #expect(try match(.nearest, x: 200) == .init(count: 0, values: [0, 0]))
    }

    @Test("0 stands for all columns, a word is 0, and lines may be short")
    func columns() throws {
        let all = try Association(parsing: "1 2\n3 4 5 star 7\n", name: "a.list", keys: [1, 2], data: [0])
        #expect(all.data == [0, 1, 2, 3, 4])
        #expect(all.matches(x: [2.5, 0.5], y: [3.5, 1.5], nil).map(\.values) == [[3, 4, 5, 0, 7], [1, 2, 0, 0, 0]])
    }

    @Test("commas separate columns, and names of columns may precede them")
    func heading() throws {
        let list = try Association(
            parsing: "id,x,y,mag\n\n1, 51.5,51, 10\n2,20,30,11\n", name: "a.csv", keys: [2, 3], data: [4])
        #expect(list.rows == [[1, 51.5, 51, 10], [2, 20, 30, 11]])
    }

    @Test("positions in degrees are placed by the header")
    func celestial() throws {
        let header = FITSHeader(cards: [
            "CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'", "CRVAL1  =                150.0",
            "CRVAL2  =                  2.0", "CRPIX1  =                 50.0", "CRPIX2  =                 40.0",
            "CDELT1  =              -0.0001", "CDELT2  =               0.0001",
        ])
        var association = try Association(parsing: "150 2 7\n", name: "a.list", keys: [1, 2], data: [3])
        association.isCelestial = true
        let matches = association.matches(x: [49.5, 60], y: [39, 39], try CelestialWCS(header: header))
        #expect(matches == [.init(count: 1, values: [7]), .init(count: 0, values: [0])])
    }

    @Test(
        "a list that cannot be used is refused with its line",
        arguments: [("1 2\n3\n", "a.list:2:"), ("1 x\n", "a.list:1:"), ("1 nan\n", "a.list:1:")])
    func refused(text: String, prefix: String) {
        let error = #expect(throws: ScanSetupError.self) {
            try Association(parsing: text, name: "a.list", keys: [1, 2], data: [1])
        }
        #expect(error?.description.hasPrefix(prefix) == true)
        #expect(throws: ScanSetupError.self) {
            try Association(parsing: "1 2\n", name: "a.list", keys: [1, 2], data: [3])
        }
    }
}
