import Foundation
import Testing

import SkyCatalogue
import SkyExtraction
import SkyFITS
import SkyScan

@Suite("selections of SExtractor's columns")
struct ColumnSelectionTests {
    @Test("a .param file: its order, comments, vectors and unknown names")
    func file() throws {
        let text = "# columns\nMAG_APER(3)  # three\nNUMBER\n\nFLUX_FOO\nVIGNET(35,21)\nNUMBER\n#X_IMAGE\nmag_auto\n"
        let selection = try ColumnSelection(parsing: text, name: "default.param")
        #expect(selection.items.map(\.name) == ["MAG_APER", "NUMBER", "VIGNET", "MAG_AUTO"])
        #expect(selection.items.map(\.size) == [[3], [], [35, 21], []] && selection.unknown == ["FLUX_FOO"])
        var request = MeasurementRequest()
        selection.require(in: &request)
        #expect(request.vignetteWidth == 35 && request.vignetteHeight == 21 && !request.isWindowed)
    }

    // As source-extractor 2.25 reads these lines.
    @Test("of a line the first word counts: SExtractor's own descriptions may follow, and sizes have blanks")
    func descriptions() throws {
        let text = """
            X_IMAGE   Object position along x   [pixel]
            NITER_WIN\tNumber of iterations for WIN centering
            FLUX_MAX  Peak flux above background (count)
            VIGNET(25, 21) Pixel data around detection [count]
            MAG_APER( 3 )
            """
        let selection = try ColumnSelection(parsing: text, name: "described.param")
        #expect(selection.items.map(\.name) == ["X_IMAGE", "NITER_WIN", "FLUX_MAX", "VIGNET", "MAG_APER"])
        #expect(selection.items.map(\.size) == [[], [], [], [25, 21], [3]])
        #expect(selection.unknown.isEmpty && selection.ignored.isEmpty)
        let several = try ColumnSelection(parsing: "NUMBER X_IMAGE, Y_IMAGE\n", name: "a.param")
        #expect(several.items.map(\.name) == ["NUMBER"] && several.ignored == ["X_IMAGE", "Y_IMAGE"])
    }

    @Test("of lines for each element of a vector the size of the last counts, as in SExtractor")
    func repetitions() throws {
        let lists = ["MAG_APER(1)\nMAG_APER(2)\nNUMBER\nMAG_APER(3)\n": [3], "MAG_APER(3)\nMAG_APER(1)\nNUMBER\n": [1]]
        for (text, size) in lists {
            let selection = try ColumnSelection(parsing: text, name: "a.param")
            #expect(selection.items.map(\.name) == ["MAG_APER", "NUMBER"] && selection.items[0].size == size)
        }
    }

    @Test("sizes in square brackets, as STDPipe writes them")
    func brackets() throws {
        let selection = try ColumnSelection(parsing: "MAG_APER[2]\nVIGNET[5,3]\n", name: "a.param")
        #expect(selection.items.map(\.size) == [[2], [5, 3]] && selection.unknown.isEmpty)
        #expect(try ColumnSelection(list: "VIGNET[5,7],FLUX_APER[3]").items.map(\.size) == [[5, 7], [3]])
    }

    @Test("a list on the command line: commas within parentheses do not separate")
    func list() throws {
        let selection = try ColumnSelection(list: "NUMBER,VIGNET(5,7),XWIN_IMAGE")
        #expect(selection.items.map(\.name) == ["NUMBER", "VIGNET", "XWIN_IMAGE"])
        var request = MeasurementRequest()
        selection.require(in: &request)
        #expect(request.isWindowed)
        #expect(throws: ScanSetupError.self) { try ColumnSelection(list: "NUMBER,FLUX_FOO") }
        #expect(throws: ScanSetupError.self) { try ColumnSelection(list: "") }
    }

    @Test(
        "a size that makes no sense is refused with its line",
        arguments: [
            "VIGNET(5,5,5)", "VIGNET(0,5)", "VIGNET(5,99999)", "MAG_APER(0)", "MAG_APER(x)", "MAG_APER(2",
            "X_IMAGE(3)", "FLUX_RADIUS(1,2)", "MAG_APER(999)",
        ])
    func sizes(word: String) {
        let error = #expect(throws: ScanSetupError.self) {
            try ColumnSelection(parsing: "NUMBER\n\(word)\n", name: "a.param")
        }
        #expect("\(error.map { "\($0)" } ?? "")".hasPrefix("a.param:2: "))
    }

    @Test("every column has a name of its own, and a format that is known")
    func table() {
        let all = SExtractorColumn.all
        #expect(Set(all.map(\.name)).count == all.count && all.count >= 170)
        for column in all { #expect(TextFormat(column.display) != nil, "\(column.name)") }
    }

    @Test("what a column needs is measured, and nothing else")
    func needs() throws {
        func request(_ list: String) throws -> MeasurementRequest {
            var request = MeasurementRequest()
            request.petrosian = .init()
            try ColumnSelection(list: list).require(in: &request)
            return request
        }
        #expect(try request("PETRO_RADIUS").petrosian != nil && request("NUMBER").petrosian == nil)
        let fits = ["XPSF_IMAGE", "FLUX_PSF", "ERRX2PSF_IMAGE", "SPREAD_MODEL"]
        for name in fits { #expect(try ColumnSelection(list: name).needsPointSpread) }
        #expect(try !ColumnSelection(list: "MAG_AUTO,X_IMAGE").needsPointSpread)
        #expect(try ColumnSelection(list: "SPREADERR_MODEL").needsSpread)
        #expect(try !ColumnSelection(list: "MAG_PSF").needsSpread)
        #expect(try ColumnSelection(list: "VECTOR_ASSOC(3)").needsAssociation)
        #expect(try !ColumnSelection(list: "MAG_PETRO").needsAssociation)
    }

    @Test("of 93 lists that public repositories use, at least 84 are complete")
    func lists() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "column-lists.txt")
        let lists = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lists.count == 93)
        let complete = try lists.filter {
            try ColumnSelection(parsing: String($0).replacing(" ", with: "\n"), name: "list").unknown.isEmpty
        }
        #expect(complete.count >= 84, "\(complete.count) are complete")
    }
}
