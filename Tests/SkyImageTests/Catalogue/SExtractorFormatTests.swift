import Foundation
import SkyTestSupport
import Testing

import ScanBasics
import SkyCatalogue
import SkyFITS

@Suite("SExtractor's formats of catalogues")
struct SExtractorFormatTests {
    private static let table: CatalogueTable = {
        var magnitudes = CatalogueTable.Column(
            "MAG_APER", unit: "mag", description: "Fixed aperture magnitude vector",
            .array([-11.25, 99, -9.5, 2], shape: [2]))
        magnitudes.display = "F8.4"
        var numbers = CatalogueTable.Column("NUMBER", description: "Running object number", .int32([1, 2]))
        numbers.display = "I10"
        var positions = CatalogueTable.Column(
            "X_IMAGE", unit: "pixel", description: "Object position along x", .float([1.5, 1023.98765]))
        positions.display = "F11.4"
        var table = CatalogueTable(
            columns: [numbers, magnitudes, positions], header: [HeaderEntry("MAGZERO", .real(0))])
        table.field = FieldHeader(
            image: FITSHeader(cards: ["SIMPLE  =                    T", "NAXIS   =                    2"]),
            entries: [HeaderEntry("FITSEXT", .integer(1), comment: "Number")])
        return table
    }()

    private func bytes(_ format: CatalogueFormat) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try format.write([Self.table], name: "catalogue") { piece throws(OutputError) in bytes += piece }
        return bytes
    }

    @Test("ASCII_HEAD: a vector advances the number of the next column by its length")
    func head() throws {
        let lines = String(decoding: try bytes(.asciiHead), as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.count == 5)
        #expect(lines[1].hasPrefix("#   2 MAG_APER               Fixed aperture magnitude vector "))
        #expect(lines[1].hasSuffix(" [mag]") && lines[2].hasPrefix("#   4 X_IMAGE "))
        #expect(lines[3] == "         1 -11.2500  99.0000      1.5000")
        #expect(lines[4] == "         2  -9.5000   2.0000   1023.9877")
    }

    @Test("ASCII has the rows alone")
    func plain() throws {
        let text = String(decoding: try bytes(.ascii), as: UTF8.self)
        #expect(text == "         1 -11.2500  99.0000      1.5000\n         2  -9.5000   2.0000   1023.9877\n")
    }

    @Test("ASCII_SKYCAT has tabs, the viewer's names for four columns, and an end")
    func skycat() throws {
        let text = String(decoding: try bytes(.skycat), as: UTF8.self)
        #expect(text.hasPrefix("QueryResult\n\n# Config entry for original catalog server:\nserv_type: catalog\n"))
        #expect(text.contains("\n\nid\tra\tdec\tmag\n------------------\n         1 \t-11.2500 \t 99.0000 \t"))
        #expect(text.hasSuffix("1023.9877\n[EOD]"))
    }

    @Test("FITS_LDAC: one row holds the cards of the header, its END included, then come the sources")
    func ldac() throws {
        let bytes = try bytes(.ldac)
        let text = String(decoding: bytes, as: Unicode.ASCII.self)
        #expect(bytes.count % 2880 == 0)
        let head = try #require(text.range(of: "'LDAC_IMHEAD'")?.lowerBound)
        let cards = try #require(text.range(of: "FITSEXT =                    1 / Number")?.lowerBound)
        let objects = try #require(text.range(of: "'LDAC_OBJECTS'")?.lowerBound)
        #expect(head < cards && cards < objects)
        #expect(text.contains("TTYPE1  = 'Field Header Card'") && text.contains("TFORM1  = '320A    '"))
        #expect(text.contains("TDIM1   = '(80, 4) '") && text.contains("NAXIS2  =                    1"))
        #expect(text.contains("TFORM2  = '2E      '"))
    }

    @Test("CSV has a column for each element of a vector")
    func flat() throws {
        let lines = String(decoding: try bytes(.csv), as: UTF8.self).split(separator: "\n")
        #expect(lines[0] == "NUMBER,MAG_APER,MAG_APER_1,X_IMAGE" && lines[1] == "1,-11.25,99.0,1.5")
    }

    @Test("a VOTable is well-formed and has the rows")
    func votable() throws {
        let text = String(decoding: try bytes(.votable), as: UTF8.self)
        #expect(text.contains("<FIELD name=\"MAG_APER\" datatype=\"float\" arraysize=\"2\" unit=\"mag\">"))
        #expect(text.contains("<TR><TD>1</TD><TD>-11.25 99.0</TD><TD>1.5</TD></TR>"))
        #expect(text.hasSuffix("</VOTABLE>\n"))
    }
}
