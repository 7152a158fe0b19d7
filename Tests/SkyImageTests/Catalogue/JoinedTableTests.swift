import Foundation
import SkyTestSupport
import Testing

import SkyCatalogue
import SkyFITS

@Suite("Catalogues of several images of a file") struct JoinedTableTests {
    private func table(_ number: Int, _ name: String?, x: [Double], ra: [Double]? = nil, gain: Double = 1)
        -> CatalogueTable
    {
        var columns = [
            CatalogueTable.Column("number", description: "Number", .int32(x.indices.map { Int32($0 + 1) })),
            CatalogueTable.Column("x", unit: "pix", description: "Column", .double(x)),
        ]
        if let ra { columns.append(CatalogueTable.Column("ra", unit: "deg", description: "RA", .double(ra))) }
        var table = CatalogueTable(
            columns: columns,
            header: [HeaderEntry("THRESH", .real(1.5), comment: ""), HeaderEntry("GAIN", .real(gain), comment: "")],
            history: ["HDU \(number)"])
        table.source = .init(number: number, name: name, version: 2)
        return table
    }

    @Test("CSV has the HDU of each row; a column that an image lacks is NaN, text with a comma is quoted")
    func joined() throws {
        let tables = [table(1, "SCI", x: [1, 2], gain: 2), table(4, "A,B", x: [3], ra: [10]), table(5, nil, x: [])]
        let joined = CatalogueTable(joiningExtensions: tables)
        #expect(joined.columns.map(\.name) == ["hdu", "extname", "number", "x", "ra"])
        #expect(joined.header.map(\.key) == ["THRESH"] && joined.history == ["HDU 1", "HDU 4", "HDU 5"])
        var text = ""
        try DelimitedWriter.writeCSV(joined) { text += String(decoding: $0, as: UTF8.self) }
        #expect(text == "hdu,extname,number,x,ra\n1,SCI,1,1.0,nan\n1,SCI,2,2.0,nan\n4,\"A,B\",1,3.0,10.0\n")
    }

    @Test(
        "astropy reads a FITS catalogue with a table per extension, with EXTNAME and EXTVER of the image",
        .enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
    func fits() throws {
        let folder = try TemporaryFolder()
        let tables = [table(1, "SCI", x: [1, 2]), table(4, nil, x: [3], ra: [10])]
        var bytes: [UInt8] = []
        try FITSTableWriter.write(tables, name: "out.fits") { bytes += $0 }
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path("out.fits")))
        let script = """
            import sys
            from astropy.io import fits
            with fits.open(sys.argv[1], checksum=False) as file:
                file.verify("exception")
                for hdu in file[1:]:
                    print(hdu.name, hdu.ver, [float(x) for x in hdu.data["x"]], hdu.columns.names)
            """
        let output = try AstropyPython.run(["-c", script, folder.path("out.fits")])
        #expect(
            output.split(separator: "\n") == [
                "SCI 2 [1.0, 2.0] ['number', 'x']", "CATALOGUE 1 [3.0] ['number', 'x', 'ra']",
            ])
    }

    @Test(
        "text is written to FITS as wide as the longest value",
        .enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
    func text() throws {
        let folder = try TemporaryFolder()
        let table = CatalogueTable(joiningExtensions: [table(1, "SCI", x: [1]), table(2, "LONGER", x: [2])])
        var bytes: [UInt8] = []
        try FITSTableWriter.write([table], name: "out.fits") { bytes += $0 }
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path("out.fits")))
        let script = """
            import sys
            from astropy.table import Table
            table = Table.read(sys.argv[1])
            print([str(name) for name in table["extname"]], [int(hdu) for hdu in table["hdu"]])
            """
        let output = try AstropyPython.run(["-c", script, folder.path("out.fits")])
        #expect(output.split(separator: "\n") == ["['SCI', 'LONGER'] [1, 2]"])
    }
}
