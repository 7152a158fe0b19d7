import Foundation
import ScanBasics
import SkyTestSupport
import Testing

import SkyCatalogue
import SkyFITS

struct CatalogueWriterTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ table: CatalogueTable, _ name: String) throws -> String {
        let path = folder.path(name)
        try CatalogueOutput(path: path).write(table)
        return path
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test(
        "astropy reads back names, types, units, descriptions, bits and header",
        .enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)),
        arguments: ["out.fits", "out.ecsv"], [0, 1, 6, 5000])
    func astropy(name: String, rows: Int) throws {
        let table = SampleTable.make(rows: rows)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "astropy_table.py")
        let facts = try AstropyPython.run([script.path, write(table, name)]).split(separator: "\n").map(String.init)
        for column in table.columns {
            let kind = [column.name, column.values.typeName, column.unit ?? "-", column.description]
            #expect(facts.contains("column|" + kind.joined(separator: "|")), "\(column.name)")
            let line = try #require(facts.first { $0.hasPrefix("bits|\(column.name)|") })
            let bits = line.split(separator: "|", omittingEmptySubsequences: false)[2].split(separator: ",")
            #expect(bits.map { Int64($0) } == column.values.bits, "\(column.name)")
        }
        let metas = [
            "meta|THRESH|1.5", "meta|TINY|1e-20", "meta|MINAREA|5", "meta|CLEAN|True",
            "meta|LONGTEXT|'\(String(repeating: "long ", count: 30))end'", "history|first line", "history|second: line",
        ]
        for fact in metas { #expect(facts.contains(fact), "\(fact) in \(facts.filter { !$0.hasPrefix("bits") })") }
        #expect(facts.contains { $0.hasPrefix("meta|CREATOR|") && $0.contains("Skyfarm 'x': # {y}") })
    }

    @Test("CSV parses back to the same bits, and NaN is nan")
    func csv() throws {
        let table = SampleTable.make()
        let lines = try text(write(table, "out.csv")).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 8 && lines[7].isEmpty)
        #expect(lines[0] == "number,flag,npix,x,flux,ra,cxx")
        let fields = lines[1..<7].map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        #expect(fields.map { Int32($0[0]) } == [1, 2, 3, 4, 5, 6])
        #expect(fields.map { Int16($0[1]) } == [0, 1, .min, .max, 16, 2])
        #expect(fields.map { Int64($0[2]) } == [5, .min, .max, 0, 1, 7])
        #expect(fields.map { Double($0[3])?.bitPattern } == SampleTable.doubles.map(\.bitPattern))
        #expect(fields.map { Float($0[4])?.bitPattern } == SampleTable.floats.map(\.bitPattern))
        #expect(fields.map { String($0[5]) } == ["1.0", "nan", "inf", "-inf", "1.0", "nan"])
        #expect(fields.map { String($0[6]) } == ["1.0", "nan", "inf", "-inf", "1.0", "nan"])
    }

    @Test("random floats parse back to the same bits", arguments: [UInt64(1), 2])
    func randomFloats(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let floats = (0..<2000).map { _ in Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &generator)) }
        let doubles = (0..<2000).map { _ in Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &generator)) }
        for value in floats where !value.isNaN {
            #expect(Float(CatalogueTable.Values.float([value]).text(0))?.bitPattern == value.bitPattern, "seed \(seed)")
        }
        for value in doubles where !value.isNaN {
            #expect(
                Double(CatalogueTable.Values.double([value]).text(0))?.bitPattern == value.bitPattern, "seed \(seed)")
        }
    }

    @Test("the same table gives the same bytes", arguments: CatalogueFormat.allCases)
    func deterministic(format: CatalogueFormat) throws {
        let table = format == .reg ? Self.regions : SampleTable.make(rows: 3000)
        let files = ["a.\(format)", "b.\(format)"]
        for name in files { try CatalogueOutput.write(table, to: [.init(path: folder.path(name), format: format)]) }
        let bytes = try files.map { try Data(contentsOf: URL(fileURLWithPath: folder.path($0))) }
        #expect(bytes[0] == bytes[1] && !bytes[0].isEmpty)
        #expect(folder.names == files)
    }

    static let regions = CatalogueTable(columns: [
        .init("number", description: "", .int32([1, 2, 3])),
        .init("x_image", unit: "pix", description: "", .double([1.5, 20, .nan])),
        .init("y_image", unit: "pix", description: "", .double([2.25, 30, 1])),
        .init("a", unit: "pix", description: "", .float([2, .nan, 1])),
        .init("b", unit: "pix", description: "", .float([1, 1, 1])),
        .init("theta", unit: "rad", description: "", .float([.pi / 2, 0, 0])),
    ])

    @Test("a region file holds an ellipse, a point or a comment per source, in DS9's grammar")
    func regions() throws {
        let lines = try text(write(Self.regions, "out.reg")).split(separator: "\n")
        #expect(lines[0] == "# Region file format: DS9 version 4.1")
        #expect(lines[2] == "image")
        #expect(lines[3].hasPrefix("ellipse(1.500000,2.250000,6.000000,3.000000,89.999996)"))
        #expect(lines[4] == "point(20.000000,30.000000) # point=x text={2}")
        #expect(lines[5] == "# source 3 has no position")
        // The grammar of ds9.si.edu/doc/ref/region.html: shape(numbers) # properties.
        let number = #"-?[0-9]+(\.[0-9]+)?"#
        let grammar = try Regex(
            "#.*|image|ellipse\\(\(number)(,\(number)){4}\\) # text=\\{[^}]*\\}"
                + "|point\\(\(number),\(number)\\) # point=x text=\\{[^}]*\\}")
        for line in lines { #expect(try grammar.wholeMatch(in: line) != nil, "\(line)") }
    }

    @Test("a region file of a table without shapes is an error and leaves nothing")
    func regionsWithoutShapes() {
        let error = #expect(throws: OutputError.self) { try write(SampleTable.make(), "out.reg") }
        #expect(error?.code == .missingColumn)
        #expect(folder.names.isEmpty)
    }

    @Test("text that YAML would take for something else is read back unchanged")
    func hardText() throws {
        let texts = ["no", "1.5", "- a", "a: b", "tab\there", "\\", "ü", "line\nbreak", ""]
        let table = CatalogueTable(
            columns: [.init("x", description: "a\"b\\c", .int16([1]))],
            header: texts.enumerated().map { HeaderEntry("K\($0)", .text($1), comment: "line\nbreak") })
        let written = try text(write(table, "out.ecsv"))
        #expect(written.split(separator: "\n").dropLast(2).allSatisfy { $0.hasPrefix("# ") })
        guard AstropyPython.isPresent else { return }
        let code = "import sys; from astropy.table import Table; print(list(Table.read(sys.argv[1]).meta.values()))"
        let printed = try AstropyPython.run(["-c", code, folder.path("out.ecsv")])
        #expect(printed == #"['no', '1.5', '- a', 'a: b', 'tab\there', '\\', 'ü', 'line\nbreak', '']"# + "\n")
        _ = try write(table, "out.fits")
    }
}

extension CatalogueTable.Values {
    var typeName: String {
        switch self {
        case .int16: "int16"
        case .int32: "int32"
        case .int64: "int64"
        case .float: "float32"
        case .double: "float64"
        case .text: "str"
        case .array: "float32"
        case .vector: "float64"
        }
    }

    var bits: [Int64] {
        switch self {
        case .int16(let values): values.map(Int64.init)
        case .int32(let values): values.map(Int64.init)
        case .int64(let values): values
        case .float(let values): values.map { Int64(Int32(bitPattern: $0.bitPattern)) }
        case .double(let values): values.map { Int64(bitPattern: $0.bitPattern) }
        case .text, .array, .vector: []
        }
    }
}
