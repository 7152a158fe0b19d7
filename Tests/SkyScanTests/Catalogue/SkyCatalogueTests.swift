import ScanCluster
import ScanNetwork
import SkyCatalogue
import SkyExtraction
import SkyFITS
import Testing

@testable import SkyScan

@Suite("catalogue of a scan")
struct SkyCatalogueTests {
    private let files: SkyFile

    init() throws { files = try SkyFile() }

    private func summary(_ header: [HeaderEntry] = []) throws -> ImageSummary {
        try ImageReader(image: files.image(width: 8, height: 6, header: header) { x, y in Float(x + y) }).summary
    }

    private func result(sources count: Int, missing: [PixelRect] = []) -> SkyScanResult {
        var sources = SourceTable()
        for (number, column) in SourceTable.columns.enumerated() {
            switch column {
            case .int16(_, let path): sources[keyPath: path] = (0..<count).map { Int16(number + $0) }
            case .int32(_, let path): sources[keyPath: path] = (0..<count).map { Int32(number + $0) }
            case .float(_, let path): sources[keyPath: path] = (0..<count).map { Float(number + $0) }
            case .double(_, let path): sources[keyPath: path] = (0..<count).map { Double(number + $0) }
            }
        }
        var tally = ScanTally()
        for rect in missing { tally.skip(.extraction, sector: rect, reason: "out of order") }
        return SkyScanResult(
            sources: sources, removed: 3, globalLevel: 1.5, globalNoise: 0.25, varianceScale: nil, maskedPixels: 7,
            bands: 2,
            tally: tally)
    }

    private func table(
        _ result: SkyScanResult, _ image: ImageSummary, checksums: InputChecksums? = InputChecksums(image: 0xab)
    ) -> CatalogueTable {
        result.table(image: image, parameters: ScanParameters(), checksums: checksums, software: "skyfarm 1.2.3")
    }

    private let coordinates = [
        HeaderEntry("CTYPE1", .text("RA---TAN")), HeaderEntry("CTYPE2", .text("DEC--TAN")),
        HeaderEntry("CRVAL1", .real(10)), HeaderEntry("CRVAL2", .real(20)), HeaderEntry("CDELT1", .real(-0.01)),
        HeaderEntry("CDELT2", .real(0.01)), HeaderEntry("CRPIX1", .real(1)), HeaderEntry("CRPIX2", .real(1)),
    ]

    @Test("every column has a description and every quantity a unit; each column of the sources is there")
    func columns() throws {
        let table = try table(result(sources: 2), summary(coordinates))
        #expect(table.rowCount == 2)
        for column in table.columns {
            #expect(!column.description.isEmpty, "\(column.name)")
            #expect(column.unit?.isEmpty != true, "\(column.name)")
        }
        let bare = Set(table.columns.filter { $0.unit == nil }.map(\.name))
        #expect(bare == ["number", "flag", "kron_radius", "flag_kron", "flag_auto", "flag_aper"])
        for column in SourceTable.columns {
            let name = column.name == "kron_flag" ? "flag_kron" : column.name
            let values: CatalogueTable.Values =
                switch column {
                case .int16(_, let path): .int16(result(sources: 2).sources[keyPath: path])
                case .int32(_, let path): .int32(result(sources: 2).sources[keyPath: path])
                case .float(_, let path): .float(result(sources: 2).sources[keyPath: path])
                case .double(_, let path): .double(result(sources: 2).sources[keyPath: path])
                }
            #expect(table[name]?.values == values, "\(name)")
        }
    }

    @Test("numbers count from 1, and pixels of FITS one more than those of SEP")
    func numbering() throws {
        let result = result(sources: 3)
        let table = try table(result, summary())
        #expect(table["number"]?.values == .int32([1, 2, 3]))
        #expect(table["x_image"]?.values == .double(result.sources.x.map { $0 + 1 }))
        #expect(table["y_image"]?.values == .double(result.sources.y.map { $0 + 1 }))
    }

    @Test("fluxes are in the unit of the image")
    func unit() throws {
        let fluxes = [
            "thresh", "peak", "cpeak", "flux", "cflux", "flux_auto", "fluxerr_auto", "flux_aper", "fluxerr_aper",
        ]
        for (header, unit) in [([], "adu"), ([HeaderEntry("BUNIT", .text("Jy"))], "Jy")] {
            let table = try table(result(sources: 1), summary(header))
            #expect(fluxes.allSatisfy { table[$0]?.unit == unit })
        }
    }

    @Test("right ascension and declination are there if the header gives them")
    func skyPositions() throws {
        #expect(try table(result(sources: 1), summary())["ra"] == nil)
        let table = try table(result(sources: 1), summary(coordinates))
        #expect(table["ra"]?.unit == "deg" && table["dec"]?.unit == "deg")
        #expect(table["ra"]?.description.contains("ICRS") == true)
        #expect(table["ra"]?.values.count == 1)
    }

    @Test("the header records the image, the software and every parameter")
    func header() throws {
        let table = try table(result(sources: 0), summary())
        let entries = Dictionary(table.header.map { ($0.key, $0.value) }) { first, _ in first }
        #expect(entries.count == table.header.count, "a key stands twice")
        #expect(table.header.allSatisfy { !$0.comment.isEmpty && $0.key.count <= 8 })
        #expect(entries["CREATOR"] == .text("skyfarm 1.2.3"))
        #expect(entries["ARITHFP"] == .text("\(ArithmeticFingerprint.current)"))
        #expect(entries["ARITHEQ"] == .logical(true))
        #expect(entries["IMAGE"] == .text(files.path("sky.fits")))
        #expect(entries["IMGWIDTH"] == .integer(8) && entries["IMGHEIGH"] == .integer(6))
        #expect(entries["IMGXXH3"] == .text("00000000000000ab"))
        #expect(entries["THRESH"] == .real(1.5) && entries["MINAREA"] == .integer(5))
        #expect(entries["KERNEL"] == .text("1.0 2.0 1.0; 2.0 4.0 2.0; 1.0 2.0 1.0"))
        #expect(entries["MASKED"] == .integer(7) && entries["REMOVED"] == .integer(3))
        #expect(entries["BACKGR"] == .real(1.5) && entries["NOISERMS"] == .real(0.25))
        #expect(entries["NSECTMIS"] == .integer(0) && table.history.isEmpty)
    }

    @Test("an unknown checksum has no entry, and no kernel is in use without a filter")
    func absence() throws {
        var parameters = ScanParameters()
        (parameters.filter, parameters.clean) = (.none, nil)
        let table = try result(sources: 0).table(
            image: summary(), parameters: parameters, checksums: nil, software: "skyfarm")
        #expect(!table.header.contains { $0.key == "IMGXXH3" })
        #expect(table.header.contains { $0.key == "KERNEL" && $0.value == .text("none") })
        #expect(table.header.contains { $0.key == "CLEAN" && $0.value == .real(0) })
    }

    @Test("nodes that computed differently are named in the history, and the header does not promise equal arithmetic")
    func differentNodes() throws {
        var node = NodeInfo(
            identity: SystemID(high: 1, low: 2), name: "far", slots: 1, queueLimit: 1, software: "0.9",
            taskTypes: [], frameLimit: 1 << 20)
        var result = result(sources: 0)
        result.differentNodes["near"] = node
        node.arithmetic = Arithmetic(fingerprint: "bbbb", libraries: "SEP 1.4.0")
        result.differentNodes["far"] = node
        let table = try table(result, summary())
        #expect(table.header.contains { $0.key == "ARITHEQ" && $0.value == .logical(false) })
        #expect(
            table.history == [
                "OTHER ARITHMETIC node far: bbbb, SEP 1.4.0, skyfarm 0.9",
                "OTHER ARITHMETIC node near: not reported, skyfarm 0.9",
            ])
    }

    @Test("missing sectors are counted in the header and listed in the history")
    func missingSectors() throws {
        let result = result(sources: 0, missing: [PixelRect(x: 0..<8, y: 2..<4)])
        let table = try table(result, summary())
        #expect(table.header.contains { $0.key == "NSECTMIS" && $0.value == .integer(1) })
        #expect(table.history == ["MISSING extraction columns 0-7 rows 2-3: out of order"])
    }
}
