import Foundation
import SkyTestSupport
import Testing

import SkyCatalogue
import SkyFITS

@Suite("One table of many catalogues") struct MergedCatalogueTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let exposures: [Int: [HeaderEntry]] = [
        4: [HeaderEntry("IMGDATE", .text("2026-01-02T03:04:05")), HeaderEntry("IMGFILT", .text("r"))]
            + [HeaderEntry("IMGEXPT", .real(30))],
        0: [HeaderEntry("IMGMJD", .real(61042.5)), HeaderEntry("IMGFILT", .text("longest"))],
    ]

    private func table(_ number: Int, x: [Double], ra: [Double]? = nil, unit: String = "adu", gain: Double = 1)
        -> CatalogueTable
    {
        var columns = [
            CatalogueTable.Column("number", description: "Number", .int32(x.indices.map { Int32($0 + 1) })),
            CatalogueTable.Column("x", unit: "pix", description: "Column", .double(x)),
        ]
        if let ra { columns.append(CatalogueTable.Column("ra", unit: "deg", description: "RA", .double(ra))) }
        columns += [
            CatalogueTable.Column(
                "flux", unit: unit, description: String(repeating: "sum of pixels ", count: 9) + "end",
                .float(x.map { Float($0) * 2 })),
            CatalogueTable.Column("flag", description: "Flag", .int16(x.map { Int16($0) })),
        ]
        var table = CatalogueTable(
            columns: columns,
            header: [
                HeaderEntry(
                    "CREATOR", .text("skyfarm, " + String(repeating: "long ", count: 30) + "end"), comment: "P"),
                HeaderEntry("IMGHDU", .integer(number), comment: "HDU"),
                HeaderEntry("THRESH", .real(1.5), comment: "[sigma] threshold"),
                HeaderEntry("GAIN", .real(gain), comment: ""), HeaderEntry("ARITHEQ", .logical(true), comment: "Equal"),
            ] + (Self.exposures[number] ?? []))
        table.source = .init(number: number, name: "CCD\(number)", version: 1)
        return table
    }

    /// The catalogues of three files: a mosaic with and without coordinates, an image without sources, one of many.
    private func parts(_ rows: Int = 3) throws -> [MergedCatalogue.Part] {
        let many = (0..<rows).map(Double.init)
        let tables = [
            "night/a.fits": [table(1, x: [1, 2], gain: 2), table(4, x: [3], ra: [10])], "b.fits": [table(0, x: [])],
            "night/longer.fits": [table(0, x: many, ra: many.map { $0 / 4 })],
        ]
        return try zip(["night/a.fits", "b.fits", "night/longer.fits"], ["a.fits", "b.fits.gz", "c.fits"]).map {
            image, name in
            try CatalogueOutput.write(
                tables[image] ?? [], to: [CatalogueOutput(path: folder.path(name), overwrite: true)])
            return MergedCatalogue.Part(image: image, path: folder.path(name))
        }
    }

    private func merge(_ parts: [MergedCatalogue.Part], to name: String) throws -> Data {
        let table = try MergedCatalogue(parts, history: ["bad.fits: damaged"])
        try CatalogueOutput(path: folder.path(name)).write(table)
        return try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
    }

    @Test("CSV has file and HDU before each row, in the order of the catalogues; what an image lacks is NaN")
    func csv() throws {
        let text = String(decoding: try merge(parts(), to: "all.csv"), as: UTF8.self)
        #expect(
            text == """
                image,hdu,date_obs,mjd,filter,exptime,number,x,ra,flux,flag
                night/a.fits,1,"",nan,"",nan,1,1.0,nan,2.0,1
                night/a.fits,1,"",nan,"",nan,2,2.0,nan,4.0,2
                night/a.fits,4,2026-01-02T03:04:05,nan,r,30.0,1,3.0,10.0,6.0,3
                night/longer.fits,0,"",61042.5,longest,nan,1,0.0,0.0,0.0,0
                night/longer.fits,0,"",61042.5,longest,nan,2,1.0,0.25,2.0,1
                night/longer.fits,0,"",61042.5,longest,nan,3,2.0,0.5,4.0,2

                """)
    }

    @Test("FITS and ECSV have the bytes of one table in memory, also of more rows than are read at a time")
    func equal() throws {
        let rows = 20_000
        let many = (0..<rows).map(Double.init)
        let tables = [
            table(1, x: [1, 2], gain: 2), table(4, x: [3], ra: [10]), table(0, x: many, ra: many.map { $0 / 4 }),
        ]
        let names = ["night/a.fits", "night/a.fits", "night/longer.fits"]
        var whole = CatalogueTable(
            joining: tables,
            labels: [
                .init("image", description: "File of the image", .text(names)),
                .init("hdu", description: "Number of the image's HDU, 0 is the primary", .int32([1, 4, 0])),
                .init(
                    "date_obs", description: "Begin of the exposure: DATE-OBS of the image",
                    .text(["", "2026-01-02T03:04:05", ""])),
                .init(
                    "mjd", unit: "d",
                    description: "Begin of the exposure, modified Julian date in the time scale of date_obs",
                    .double([.nan, .nan, 61042.5])),
                .init("filter", description: "Filter of the image", .text(["", "r", "longest"])),
                .init(
                    "exptime", unit: "s", description: "Exposure time of the image", .double([.nan, 30, .nan])),
            ])
        whole.history = ["bad.fits: damaged"]
        for name in ["fits", "ecsv"] {
            try CatalogueOutput(path: folder.path("whole.\(name)")).write(whole)
            let expected = try Data(contentsOf: URL(fileURLWithPath: folder.path("whole.\(name)")))
            #expect(try merge(parts(rows), to: "all.\(name)") == expected)
        }
        #expect(try merge(parts(rows), to: "all.fits.gz").count < merge(parts(rows), to: "again.fits").count / 2)
    }

    @Test(
        "astropy reads units, descriptions and the common header; a unit that differs is in the description",
        .enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
    func astropy() throws {
        let other = folder.path("d.fits")
        try CatalogueOutput.write([table(2, x: [7], unit: "ct")], to: [CatalogueOutput(path: other)])
        _ = try merge(parts() + [.init(image: "d.fits", path: other)], to: "all.fits")
        let script = """
            import sys
            from astropy.io import fits
            from astropy.table import Table
            with fits.open(sys.argv[1]) as file:
                file.verify("exception")
                print(len(file), file[1].data["image"][-1], file[1].data["hdu"][-1], file[1].header["HISTORY"])
            table = Table.read(sys.argv[1])
            file = fits.open(sys.argv[1])
            print(len(table), table["x"].unit, table["flux"].unit, file[1].header["TCOMM10"][-36:])
            print(table.meta["THRESH"], table.meta["ARITHEQ"], table.meta["CREATOR"][-8:], "GAIN" in table.meta)
            """
        let output = try AstropyPython.run(["-c", script, folder.path("all.fits")])
        #expect(
            output.split(separator: "\n") == [
                "2 d.fits 2 bad.fits: damaged", "7 pix None pixels end; unit by image: adu or ct",
                "1.5 True long end False",
            ])
    }

    @Test("a file that is no catalogue, or is damaged, is named, and nothing is written")
    func damaged() throws {
        var parts = try parts()
        let strange = CatalogueTable(columns: [.init("x", description: "", .double([1]))])
        try CatalogueOutput(path: folder.path("strange.fits")).write(strange)
        let error = #expect(throws: ImageError.self) {
            try merge(parts + [.init(image: "s", path: folder.path("strange.fits"))], to: "all.fits")
        }
        #expect(error?.message.contains("strange.fits: is no catalogue of skyfarm") == true)
        let path = folder.path("c.fits")
        try Data(Data(contentsOf: URL(fileURLWithPath: path)).prefix(6000)).write(to: URL(fileURLWithPath: path))
        let short = #expect(throws: ImageError.self) { try merge(parts, to: "all.fits") }
        #expect(short?.message.contains("c.fits: is no catalogue of skyfarm, or is damaged") == true)
        parts.removeAll()
        #expect(!FileManager.default.fileExists(atPath: folder.path("all.fits")))
    }
}
