import CommandLineKit
import Foundation
import SkyScan
import SkyTestSupport
import Testing

/// Settings and columns that public repositories use, by source-extractor and by `skyfarm sex`.
///
/// Each of 40 configurations has the columns of one repository. Values of a key are drawn as often as repositories use them.
@Suite(
    "public configurations beside source-extractor",
    .enabled(if: SourceExtractorProgram.isPresent, Comment(rawValue: SourceExtractorProgram.absent)))
struct PublicSettingsTests {
    private static let count = 40
    private static let side = 200
    /// Maps of a noise of 5, by the types of weights.
    private static let maps: [(type: String, sample: Float)] = [("MAP_WEIGHT", 0.04), ("MAP_RMS", 5), ("MAP_VAR", 25)]
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let scene: Scene
    let image: String

    init() throws {
        scene = try Scene()
        let side = Self.side
        let stars = (0..<30).map { index in
            let width = index % 4 == 0 ? 2.6 : 1.7
            return StarField.Star(
                x: 20 + 31.1 * Double(index % 6), y: 24 + 37.2 * Double(index / 6),
                peak: 300 * pow(1.12, Double(index)),
                axes: (width, width))
        }
        let field = StarField(side: side, seed: 23, level: 0, stars: stars)
        let cards = [
            "CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'", "CRPIX1  = 100.0", "CRPIX2  = 100.0", "CRVAL1  = 150.0",
            "CRVAL2  = 2.0", "CD1_1   = -7E-5", "CD1_2   = 0.0", "CD2_1   = 0.0", "CD2_2   = 7E-5", "GAIN    = 2.0",
        ]
        image = try scene.image("image.fits", axes: [side, side], samples: field.samples, cards: cards)
        for (type, sample) in Self.maps { _ = try scene.image(type, axes: [side, side], sample: sample) }
        _ = try scene.write("1 20.9 25.1 15\n2 52.2 25 16\n3 300 1 17\n".utf8, "sky.list")
        let columns = try scene.write("NUMBER\n".utf8, "flag.param")
        // Integers, as a flag image has.
        let flags = try Program.run([
            "sex", image, "-c", "/dev/null", "-PARAMETERS_NAME", columns, "-FILTER", "N", "-CATALOG_TYPE", "NONE",
            "-CHECKIMAGE_TYPE", "SEGMENTATION", "-CHECKIMAGE_NAME", scene.path("flag.fits"), "--no-discovery",
            "--no-journal",
        ])
        guard flags.code == 0 else { throw Program.Failure(description: flags.errors) }
    }

    private static func lines(_ path: String) throws -> [Substring] {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
    }

    /// The settings of each configuration. Each value of a key occurs at least once, a more frequent one more often.
    private static func settings() throws -> [[String: String]] {
        let steps = [3, 7, 9, 11, 13, 17, 19, 21, 23, 27, 29, 31, 33, 37, 39]
        var all = [[String: String]](repeating: [:], count: count)
        for (index, line) in try lines("public-settings.txt").enumerated() {
            let values = line.matches(of: /[:|] ([^|]+) \((\d+)\)/).map { (String($0.1), Int($0.2) ?? 0) }
            let total = values.reduce(0) { $0 + $1.1 }
            var places = values.reversed().flatMap { Array(repeating: $0.0, count: max(1, $0.1 * count / total)) }
            places += Array(repeating: values[0].0, count: max(0, count - places.count))
            for place in all.indices {
                let turn = (place * steps[index % steps.count] + index) % count
                all[place][String(line.prefix { $0 != ":" })] = places[turn]
            }
        }
        return all
    }

    /// The columns of each configuration that exist here, after the position; SExtractor.md lists the others.
    private static func columns() throws -> [[String]] {
        let lists = try lines("../../SkyScanTests/SExtractor/column-lists.txt")
        return try (0..<count).map { place in
            let words = lists[place * lists.count / count].split(separator: " ").map { word in
                word.hasPrefix("VIGNET") ? "VIGNET(5,5)" : String(word)
            }
            let known = try words.filter { word in
                // Models of PSFEx have tests of their own.
                let selection = try ColumnSelection(parsing: word, name: "list")
                return !["X_IMAGE", "Y_IMAGE"].contains(word) && selection.unknown.isEmpty
                    && !selection.needsPointSpread
            }
            return ["X_IMAGE", "Y_IMAGE"] + known
        }
    }

    /// Keys for which SExtractor.md allows only the built-in value.
    private static func documented() throws -> [String] {
        let text = try String(contentsOf: folder.appending(path: "../../../Docs/SExtractor.md"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasSuffix("| only the built-in value |") }
        return rows.flatMap { $0.matches(of: /`([A-Z_]+)`/).map { String($0.1) } }
    }

    private struct Catalogue: Equatable {
        var names: [String] = []
        var positions: [(x: Double, y: Double)] = []
        /// Values of the first row.
        var width = 0

        init(_ bytes: Data) {
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
                let words = line.split(separator: " ")
                if line.hasPrefix("#") {
                    names.append(String(words[2]))
                } else {
                    positions.append((Double(words[0]) ?? -1, Double(words[1]) ?? -1))
                    if width == 0 { width = words.count }
                }
            }
        }

        static func == (left: Self, right: Self) -> Bool {
            left.names == right.names && left.width == right.width && left.positions.count == right.positions.count
                && left.positions.allSatisfy { one in
                    right.positions.contains { hypot($0.x - one.x, $0.y - one.y) < 0.1 }
                }
        }
    }

    /// Runs one of the programs.
    private func run(_ program: [String], _ settings: [String: String], _ further: [String] = []) throws
        -> Program.Result
    {
        let text = settings.map { "\($0.key) \($0.value)\n" }.sorted().joined()
        let words = program.dropFirst() + [image, "-c", try scene.write(text.utf8, "a.sex")] + further
        return try Program.run(path: program[0], Array(words))
    }

    @Test("have the same columns and rows, or are refused with the name of a key that SExtractor.md lists")
    func configurations() throws {
        let documented = try Self.documented()
        var refused: Set<String> = []
        for (columns, settings) in zip(try Self.columns(), try Self.settings()) {
            var settings = settings
            let type = settings["WEIGHT_TYPE"].flatMap { type in Self.maps.first { $0.type == type }?.type }
            let map = scene.path(type ?? "MAP_WEIGHT")
            settings.merge([
                "CATALOG_TYPE": "ASCII_HEAD", "CATALOG_NAME": scene.path("a.cat"), "VERBOSE_TYPE": "QUIET",
                "PARAMETERS_NAME": try scene.write(columns.joined(separator: "\n").utf8, "a.param"),
                "FILTER_NAME": SourceExtractorProgram.kernel, "STARNNW_NAME": SourceExtractorProgram.network,
                "ASSOC_NAME": scene.path("sky.list"),
                "FLAG_IMAGE": scene.path("flag.fits"),
                "WEIGHT_IMAGE": settings["WEIGHT_TYPE"]?.contains(",") == true ? "\(map),\(map)" : map,
            ]) { $1 }
            var own = try run([Program.path, "sex"], settings, ["--no-discovery", "--no-journal"])
            while own.code == ExitCode.usage.rawValue,
                let key = own.errors.firstMatch(of: /a\.sex:\d+:\ ([A-Z_]+):/)?.1
            {
                #expect(documented.contains(String(key)) && own.errorLines.count == 1, "\(own.errors)")
                guard settings.removeValue(forKey: String(key)) != nil else { break }
                refused.insert(String(key))
                own = try run([Program.path, "sex"], settings, ["--no-discovery", "--no-journal"])
            }
            try #require(own.code == 0, "\(own.errors) \(settings)")
            let found = Catalogue(try scene.bytes("a.cat"))
            let other = try run([SourceExtractorProgram.path], settings)
            try #require(other.code == 0, "\(other.errors) \(settings)")
            let expected = Catalogue(try scene.bytes("a.cat"))
            let names = Set(columns.map { column in String(column.prefix { $0 != "(" }) })
            #expect(found == expected && Set(expected.names) == names, "\(settings)")
        }
        // Most keys of the files have values that are possible.
        #expect(refused.count < 10, "\(refused)")
    }
}
