import Foundation
import SkyFITS
import SkyTestSupport
import Testing

/// The same catalogues by source-extractor and by `skyfarm sex`, on real images.
@Suite("agreement with source-extractor", .serialized) struct SexAgreementTests {
    private static let isPresent = SourceExtractorProgram.isPresent && !RealImages.all.isEmpty
    private static let columns = [
        "X_IMAGE", "Y_IMAGE", "MAG_AUTO", "FLUX_AUTO", "FLUXERR_AUTO", "FLAGS", "CLASS_STAR", "BACKGROUND", "FLUX_APER",
        "PETRO_RADIUS", "FLUX_PETRO", "FLUX_MAX", "FWHM_IMAGE", "FLUXERR_ISO", "FLUX_ISO", "FLUX_ISOCOR",
        "FLUXERR_ISOCOR", "FLUX_RADIUS", "XWIN_IMAGE", "YWIN_IMAGE", "AWIN_IMAGE", "ERRAWIN_IMAGE", "NITER_WIN",
        "FLAGS_WIN",
    ]

    let scene: Scene

    init() throws {
        scene = try Scene()
        _ = try scene.write(Self.columns.joined(separator: "\n").utf8, "columns.param")
        _ = try scene.write("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n".utf8, "pyramid.conv")
    }

    /// A source, by column.
    private typealias Row = [String: Double]

    /// The sources of an image by either program.
    private func rows(_ image: String, _ settings: [String], own: Bool) throws -> [Row] {
        let name = scene.path(own ? "own.cat" : "other.cat")
        let words =
            [
                image, "-c", "/dev/null", "-PARAMETERS_NAME", scene.path("columns.param"), "-FILTER_NAME",
                scene.path("pyramid.conv"), "-STARNNW_NAME", SourceExtractorProgram.network, "-CATALOG_TYPE",
                "ASCII", "-CATALOG_NAME", name, "-VERBOSE_TYPE", "QUIET",
            ] + settings
        let result =
            own
            ? try Program.run(["sex"] + words + ["--no-discovery", "--no-journal"])
            : try Program.run(path: SourceExtractorProgram.path, words)
        try #require(result.code == 0, "\(result.errors)")
        return try String(contentsOfFile: name, encoding: .utf8).split(separator: "\n").map { line in
            let values = line.split(separator: " ").map { Double($0) ?? .nan }
            return Dictionary(uniqueKeysWithValues: zip(Self.columns, values))
        }
    }

    /// The pairs of sources whose barycentres are within a pixel, other's first. Nearly all sources of either program must
    /// have one.
    private func pairs(_ image: String, _ settings: [String] = []) throws -> [(Row, Row)] {
        let (others, own) = (try rows(image, settings, own: false), try rows(image, settings, own: true))
        var cells: [[Int]: [Row]] = [:]
        for row in own {
            cells[[Int(row["X_IMAGE"] ?? 0), Int(row["Y_IMAGE"] ?? 0)], default: []].append(row)
        }
        let pairs = others.compactMap { other -> (Row, Row)? in
            let (x, y) = (Int(other["X_IMAGE"] ?? 0), Int(other["Y_IMAGE"] ?? 0))
            let near = (x - 1...x + 1).flatMap { x in (y - 1...y + 1).flatMap { cells[[x, $0]] ?? [] } }
            let best = near.min { Self.distance($0, other) < Self.distance($1, other) }
            return best.flatMap { Self.distance($0, other) < 1 ? (other, $0) : nil }
        }
        for (count, program) in [(others.count, "source-extractor"), (own.count, "skyfarm")] {
            #expect(
                pairs.count * 100 >= count * 97, "\(image) \(settings): \(pairs.count) of \(count) of \(program)")
        }
        return pairs
    }

    /// Checks that `count` of `all` sources of an image agree: the share of those that do not may be three times that
    /// which is allowed for all images, and there may be two of them.
    private static func check(_ count: Int, of all: Int, allowing share: Double, _ column: String, _ image: String) {
        let allowed = max(2, Int((3 * share * Double(all)).rounded(.up)))
        #expect(all - count <= allowed, "\(image): \(column) of \(all - count) of \(all) sources differs")
    }

    private static func distance(_ a: Row, _ b: Row) -> Double {
        hypot((a["X_IMAGE"] ?? 0) - (b["X_IMAGE"] ?? 0), (a["Y_IMAGE"] ?? 0) - (b["Y_IMAGE"] ?? 0))
    }

    private static func difference(_ pair: (Row, Row), _ column: String) -> Double {
        abs((pair.0[column] ?? .nan) - (pair.1[column] ?? .nan))
    }

    private static func isEqual(_ pair: (Row, Row), _ column: String, within limit: Double) -> Bool {
        difference(pair, column) <= limit * abs(pair.0[column] ?? .nan)
    }

    /// Whether a source is above 10 sigma; and unblended for both programs.
    private static func isBright(_ pair: (Row, Row)) -> Bool {
        (pair.0["FLUX_AUTO"] ?? 0) > 10 * (pair.0["FLUXERR_AUTO"] ?? .infinity)
    }

    private static func isAlone(_ pair: (Row, Row)) -> Bool {
        [pair.0, pair.1].allSatisfy { Int($0["FLAGS"] ?? 1) & 3 == 0 }
    }

    /// source-extractor reads no tile compression.
    private static let images = RealImages.all.filter { !$0.path.hasSuffix(".fz") }

    @Test(
        "positions, MAG_AUTO, FLAGS and CLASS_STAR of sources above 10 sigma",
        .enabled(if: isPresent, "needs source-extractor (Debian) and real images"))
    func sources() throws {
        var (all, alone, positions, magnitudes, flags, stars, radii, widths) = (0, 0, 0, 0, 0, 0, 0, 0)
        var (sameIsophote, corrected) = (0, 0)
        var windowed = (0, 0, 0)
        for image in Self.images {
            let pairs = try pairs(image.path)
            let bright = pairs.filter(Self.isBright)
            let own = bright.filter(Self.isAlone)
            (all, alone) = (all + bright.count, alone + own.count)
            func add(
                _ sum: inout Int, _ column: String, of pairs: [(Row, Row)], allowing share: Double,
                where agree: ((Row, Row)) -> Bool
            ) {
                let count = pairs.count(where: agree)
                Self.check(count, of: pairs.count, allowing: share, column, image.name)
                sum += count
            }
            add(&positions, "X_IMAGE", of: own, allowing: 0.01) { Self.distance($0.0, $0.1) < 0.01 }
            add(&magnitudes, "MAG_AUTO", of: own, allowing: 0.01) { Self.difference($0, "MAG_AUTO") < 0.01 }
            add(&radii, "PETRO_RADIUS", of: own, allowing: 0.01) { Self.difference($0, "PETRO_RADIUS") < 0.02 }
            // Of a single pixel above a fifth of the peak SExtractor's width is 0 or the limit, by rounding.
            add(&widths, "FWHM_IMAGE", of: own, allowing: 0.02) {
                $0.1["FWHM_IMAGE"] == 0 || Self.difference($0, "FWHM_IMAGE") < 0.02
            }
            add(&stars, "CLASS_STAR", of: own, allowing: 0.05) { Self.difference($0, "CLASS_STAR") < 0.05 }
            // The faintest sources are corrected most.
            let same = pairs.filter { Self.isEqual($0, "FLUX_ISO", within: 1e-5) }
            sameIsophote += same.count
            corrected += same.count {
                Self.isEqual($0, "FLUX_ISOCOR", within: 1e-4)
                    && (Self.isEqual($0, "FLUXERR_ISOCOR", within: 1e-4)
                        || !Self.isEqual($0, "FLUXERR_ISO", within: 1e-5))
            }
            add(&flags, "FLAGS", of: bright, allowing: 0.02) { $0.0["FLAGS"] == $0.1["FLAGS"] }
            let windows = Self.countWindowed(pairs)
            windowed = (windowed.0 + windows.all, windowed.1 + windows.positions, windowed.2 + windows.flags)
        }
        let figures = "\(all) sources, \(alone) alone: \(positions), \(magnitudes), \(radii), \(stars); \(flags)"
        #expect(alone > 1000 && all > 1500, "\(figures)")
        #expect(
            positions * 100 >= alone * 99 && magnitudes * 100 >= alone * 99 && radii * 100 >= alone * 99, "\(figures)")
        #expect(
            sameIsophote > 2000 && corrected * 1000 >= sameIsophote * 999, "\(corrected) of \(sameIsophote) isophotes")
        #expect(
            windowed.0 > 2000 && windowed.1 * 100 >= windowed.0 * 99 && windowed.2 * 1000 >= windowed.0 * 995,
            "\(windowed)")
        #expect(widths * 100 >= alone * 98, "\(widths) of \(alone)")
        #expect(stars * 100 >= alone * 95 && flags * 100 >= all * 98, "\(figures)")
    }

    /// How many of these pairs have the same position and width under a window of the same width, and the same flags.
    private static func countWindowed(_ pairs: [(Row, Row)]) -> (all: Int, positions: Int, flags: Int) {
        let columns = ["XWIN_IMAGE", "YWIN_IMAGE", "AWIN_IMAGE", "ERRAWIN_IMAGE"]
        let same = pairs.filter { isEqual($0, "FLUX_RADIUS", within: 1e-4) && isEqual($0, "FLUX_ISO", within: 1e-5) }
        let positions = same.count { pair in columns.allSatisfy { difference(pair, $0) < 0.002 } }
        // Which moments are negative is another question where there is no flux.
        let flags = same.count { pair in
            difference(pair, "FLAGS_WIN") == 0
                || [pair.0, pair.1].allSatisfy { Int($0["FLAGS_WIN"] ?? 0) & 4 != 0 }
        }
        return (same.count, positions, flags)
    }

    @Test(
        "faint sources have windowed positions where source-extractor gives them, and its flags",
        .enabled(if: isPresent, "needs source-extractor (Debian) and real images"))
    func windowed() throws {
        let frame = try #require(Self.images.first { $0.name.hasPrefix("ISAAC") } ?? Self.images.first)
        let pairs = try pairs(frame.path, ["-MASK_TYPE", "NONE", "-DETECT_THRESH", "0.8"])
        let count = Self.countWindowed(pairs)
        #expect(count.all > 1000 && count.positions * 1000 >= count.all * 995, "\(count)")
        #expect(count.flags * 1000 >= count.all * 995, "\(count)")
        let same = pairs.filter { Self.isEqual($0, "FLUX_RADIUS", within: 1e-4) }
        for flag in [8, 3, 2] {
            let flagged = same.filter { Int($0.0["FLAGS_WIN"] ?? 0) == flag }
            let equal = flagged.count { Self.difference($0, "FLAGS_WIN") == 0 }
            #expect(
                flagged.count > 5 && equal * 100 >= flagged.count * 95, "flag \(flag): \(equal) of \(flagged.count)")
        }
        #expect(same.count { Self.difference($0, "NITER_WIN") == 0 } * 100 >= same.count * 99)
    }

    @Test(
        "a given background, a local one and maps of the noise give source-extractor's fluxes",
        .enabled(if: isPresent, "needs source-extractor (Debian) and real images"))
    func settings() throws {
        let frame = try #require(Self.images.first { $0.name.hasPrefix("ISAAC") } ?? Self.images.first)
        let image = try FITSImage(frame.path)
        var (rms, variance) = ([Float](), [Float]())
        for place in 0..<image.width * image.height {
            let noise = 12 + 8 * Float(place % image.width) / Float(image.width)
            rms.append(noise)
            variance.append(noise * noise)
        }
        let maps = [
            try scene.image("rms.fits", axes: [image.width, image.height], samples: rms),
            try scene.image("var.fits", axes: [image.width, image.height], samples: variance),
        ]
        // With the least percentages of equal magnitudes, errors and backgrounds. With BACK_TYPE MANUAL
        // source-extractor writes the level of the meshes that it did not subtract.
        let cases: [(settings: [String], least: [Int])] = [
            (["-BACK_TYPE", "MANUAL", "-BACK_VALUE", "350"], [99, 99, 0]),
            (["-BACKPHOTO_TYPE", "LOCAL"], [90, 99, 88]),
            (["-WEIGHT_TYPE", "MAP_RMS", "-WEIGHT_IMAGE", maps[0]], [98, 98, 99]),
            (["-WEIGHT_TYPE", "MAP_VAR", "-WEIGHT_IMAGE", maps[1]], [98, 98, 99]),
            (["-GAIN", "1.5", "-WEIGHT_TYPE", "MAP_RMS", "-WEIGHT_IMAGE", maps[0]], [98, 98, 99]),
            (["-GAIN", "1.5", "-WEIGHT_TYPE", "MAP_VAR", "-WEIGHT_IMAGE", maps[1]], [98, 97, 99]),
            (
                ["-GAIN", "1.5", "-WEIGHT_GAIN", "N", "-WEIGHT_TYPE", "MAP_RMS", "-WEIGHT_IMAGE", maps[0]],
                [98, 98, 99]
            ),
        ]
        for (settings, least) in cases {
            let pairs = try pairs(frame.path, settings)
            let own = pairs.filter { Self.isBright($0) && Self.isAlone($0) }
            let near = own.count { Self.difference($0, "MAG_AUTO") < 0.01 }
            let errors = own.count { Self.difference($0, "FLUXERR_AUTO") < 0.01 * ($0.0["FLUXERR_AUTO"] ?? 0) }
            let levels = own.count { Self.difference($0, "BACKGROUND") < 0.02 * 12 }
            let shares = [near, errors, levels].map { 100 * Double($0) / Double(own.count) }
            #expect(own.count > 100, "\(settings): \(own.count)")
            #expect(zip(shares, least).allSatisfy { $0 >= Double($1) }, "\(settings): \(shares)")
        }
    }

    @Test(
        "two images with a weight map each give source-extractor's fluxes",
        .enabled(if: isPresent, "needs source-extractor (Debian) and real images"))
    func twoMaps() throws {
        let frame = try #require(Self.images.first { $0.name.hasPrefix("ISAAC") } ?? Self.images.first)
        let image = try FITSImage(frame.path)
        func map(_ name: String, _ noise: (Float) -> Float) throws -> String {
            let samples = (0..<image.width * image.height).map { place in
                noise(Float(place % image.width) / Float(image.width))
            }
            return try scene.image(name, axes: [image.width, image.height], samples: samples)
        }
        let detection = try map("detection.fits") { 12 + 8 * $0 }
        let measurement = try map("measurement.fits") { 30 - 15 * $0 }
        // The errors are those of the second map, the sources those of the first.
        for types in ["MAP_RMS", "NONE,MAP_RMS", "MAP_RMS,BACKGROUND"] {
            let settings = ["-WEIGHT_TYPE", types, "-WEIGHT_IMAGE", "\(detection),\(measurement)"]
            let pairs = try pairs("\(frame.path),\(frame.path)", settings)
            let own = pairs.filter { Self.isBright($0) && Self.isAlone($0) }
            let near = own.count { Self.difference($0, "MAG_AUTO") < 0.01 }
            let errors = own.count { Self.difference($0, "FLUXERR_AUTO") < 0.01 * ($0.0["FLUXERR_AUTO"] ?? 0) }
            #expect(own.count > 100, "\(types): \(own.count)")
            #expect(
                near * 100 >= own.count * 98 && errors * 100 >= own.count * 98,
                "\(types): \(near), \(errors) of \(own.count)")
        }
    }
}
