import Foundation
import SkyTestSupport
import Testing

import SkyFITS

@Suite("look-up tables of distortion, which are not applied")
struct LookupTablesTests {
    private static let cards = [
        "CPDIS1  = 'Lookup'", "CPDIS2  = 'LOOKUP'", "DP1     = 'EXTVER: 1.0'", "DP2     = 'EXTVER: 2.0'",
        "DP1     = 'NAXES: 2.0'",
    ]

    @Test("a header without tables has none")
    func none() {
        #expect(LookupTables(FITSHeader(cards: ["CPDIS1  = 'TPD'", "CPERR1  = 0.5"])) == nil)
    }

    @Test("without the tables, the header's limits say how much is missing, or nothing does")
    func stated() throws {
        let tables = try #require(LookupTables(FITSHeader(cards: Self.cards)))
        #expect(tables.note(file: nil).contains("by an amount that neither"))
        let limits = ["CPERR1  = 0.3", "CPERR2  = 0.4", "D2IMDIS1= 'Lookup'", "D2IMERR1= 0.02"]
        let limited = try #require(LookupTables(FITSHeader(cards: Self.cards + limits)))
        // 0.32 pixels along the first axis, 0.4 along the second.
        #expect(limited.note(file: nil).contains("by at most 0.513 pixels"))
    }

    @Test("tables in the file are measured")
    func measured() throws {
        let folder = try TemporaryFolder()
        func cards(_ version: Int) -> [String] {
            let name = ["EXTNAME = 'WCSDVARR'", "EXTVER  = \(version)"]
            return RawFITS.image(bitpix: -32, axes: [3, 1], primary: false, extra: name)
        }
        func data(_ values: [Float]) -> [UInt8] { RawFITS.bytes(values.map(\.bitPattern)) }
        let image =
            RawFITS() + RawFITS.image(bitpix: 8, axes: [4, 1], extra: Self.cards) + [UInt8](repeating: 0, count: 4)
        let file = image + cards(2) + data([0, -0.04, 0.01]) + cards(1) + data([0.03, 0, .nan])
        let path = try folder.write(file.bytes, "hst.fits")
        let header = try FITSImage(path).header
        #expect(try #require(LookupTables(header)).note(file: path).contains("by at most 0.05"))
    }
}
