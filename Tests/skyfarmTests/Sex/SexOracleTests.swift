import Foundation
import ScanBasics
import SkyTestSupport
import Testing

/// Single columns and settings by source-extractor and by `skyfarm sex`, on small images made for them.
@Suite(
    "columns and settings beside source-extractor", .serialized,
    .enabled(if: SourceExtractorProgram.isPresent, Comment(rawValue: SourceExtractorProgram.absent)))
struct SexOracleTests {
    private static let side = 200
    let scene: Scene

    init() throws {
        scene = try Scene()
        _ = try scene.write("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n".utf8, "pyramid.conv")
    }

    private typealias Star = StarField.Star

    private func image(_ name: String, _ stars: [Star], noise: Double = 5, cards: [String] = []) throws -> String {
        let field = StarField(side: Self.side, noise: noise, stars: stars)
        return try scene.image(name, axes: [field.side, field.side], samples: field.samples, cards: cards)
    }

    private static let stars = stride(from: 20.0, to: 190, by: 31).flatMap { x in
        stride(from: 24.0, to: 190, by: 37).map { Star(x: x + $0 / 50, y: $0 + x / 70) }
    }

    private func words(_ image: String, _ name: String, _ columns: String) throws -> [String] {
        [
            image, "-c", "/dev/null", "-PARAMETERS_NAME", try scene.write(columns.utf8, "columns.param"),
            "-FILTER_NAME", scene.path("pyramid.conv"), "-STARNNW_NAME", SourceExtractorProgram.network,
            "-CATALOG_NAME", scene.path(name), "-VERBOSE_TYPE", "QUIET",
        ]
    }

    private func rows(_ name: String) throws -> [[Double]] {
        String(decoding: try scene.bytes(name), as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: " ").compactMap { Double($0) } }
    }

    /// The rows of both programs by position, which are the first two columns: source-extractor's and the own.
    private func pairs(
        _ image: String, _ columns: String, _ settings: [String] = []
    ) throws -> [(other: [Double], own: [Double])] {
        let words = try words(image, "own.cat", "X_IMAGE\nY_IMAGE\n" + columns) + settings
        let own = try Program.run(["sex"] + words + ["--no-discovery", "--no-journal"])
        try #require(own.code == 0, "\(own.errors)")
        let others = words.map { $0 == scene.path("own.cat") ? scene.path("other.cat") : $0 }
        let other = try Program.run(path: SourceExtractorProgram.path, others)
        try #require(other.code == 0, "\(other.errors)")
        let (found, expected) = (try rows("own.cat"), try rows("other.cat"))
        #expect(found.count == expected.count && found.count > 0)
        return try expected.map { row in
            (row, try #require(found.first { hypot($0[0] - row[0], $0[1] - row[1]) < 0.5 }, "\(row)"))
        }
    }

    private static func areClose(_ pair: (other: [Double], own: [Double]), _ column: Int, within share: Double) -> Bool
    {
        abs(pair.own[column] - pair.other[column]) <= share * abs(pair.other[column])
    }

    private func weights() throws -> [String] {
        let map = try scene.image("weight.fits", axes: [Self.side, Self.side], sample: 1)
        return ["-WEIGHT_TYPE", "MAP_WEIGHT", "-WEIGHT_IMAGE", map]
    }

    @Test("sources and blends that end in the last row or column have their thresholds, with weights and BACKGROUND")
    func edges() throws {
        let image = try image(
            "edges.fits",
            [
                Star(x: 199, y: 60), Star(x: 80, y: 199), Star(x: 100, y: 100), Star(x: 198.6, y: 150),
                Star(x: 198.1, y: 155.5), Star(x: 30, y: 197.5), Star(x: 36, y: 196.5),
            ])
        for settings in [try weights(), ["-WEIGHT_TYPE", "BACKGROUND"]] {
            let pairs = try pairs(image, "THRESHOLD\nMU_THRESHOLD\nCLASS_STAR\nISOAREA_IMAGE", settings)
            #expect(pairs.count == 7)
            for pair in pairs {
                // SExtractor's filter finds less variance beside the edge.
                #expect(Self.areClose(pair, 2, within: 0.16) && abs(pair.own[3] - pair.other[3]) < 0.05, "\(pair)")
                #expect(abs(pair.own[4] - pair.other[4]) < 0.05 && Self.areClose(pair, 5, within: 0.1), "\(pair)")
            }
        }
    }

    @Test("under WEIGHT_GAIN errors count the photons of whole pixels, also around the circle")
    func weightGain() throws {
        let image = try image("gain.fits", Self.stars, noise: 20)
        let columns = "FLUXERR_APER(4)\nFLUXERR_AUTO\nFLUXERR_PETRO\nFLUXERR_ISO"
        for settings in [["-WEIGHT_GAIN", "Y"], ["-WEIGHT_GAIN", "N"], ["-WEIGHT_GAIN", "Y", "-MASK_TYPE", "NONE"]] {
            let pairs = try pairs(
                image, columns, try weights() + ["-GAIN", "0.1", "-PHOT_APERTURES", "2,3,5,9"] + settings)
            #expect(pairs.count == Self.stars.count)
            for column in 2...8 {
                // Isophotes and radii may differ in a pixel.
                let close = pairs.count { Self.areClose($0, column, within: 0.01) }
                #expect(close * 100 >= pairs.count * 95, "column \(column), \(settings): \(close) of \(pairs.count)")
            }
        }
    }

    @Test("without coordinates PIXEL_SCALE 0 is a degree per pixel, and of two numbers the first counts")
    func pixelScale() throws {
        let image = try image("scale.fits", Self.stars)
        for scale in ["0", "0,.466", "0.466"] {
            let columns = "MU_MAX\nMU_THRESHOLD\nCLASS_STAR\nFWHM_WORLD\nISOAREA_WORLD"
            for pair in try pairs(image, columns, ["-PIXEL_SCALE", scale]) {
                #expect(abs(pair.own[2] - pair.other[2]) < 2e-4 && abs(pair.own[3] - pair.other[3]) < 2e-4, "\(pair)")
                #expect(abs(pair.own[4] - pair.other[4]) < 0.02 && Self.areClose(pair, 5, within: 0.05), "\(pair)")
                #expect(Self.areClose(pair, 6, within: 1e-5), "\(pair)")
            }
        }
    }

    @Test("VECTOR_ASSOC has as many elements as were asked for")
    func association() throws {
        let image = try image("assoc.fits", Self.stars)
        let list = Self.stars.enumerated().map { "\($1.x + 1) \($1.y + 1) \(20 + $0) 7" }.joined(separator: "\n")
        let name = try scene.write(list.utf8, "list.txt")
        for size in [1, 2, 3, 6] {
            let pairs = try pairs(
                image, "VECTOR_ASSOC(\(size))\nNUMBER_ASSOC",
                ["-ASSOC_NAME", name, "-ASSOC_PARAMS", "1,2", "-ASSOC_DATA", "3,4"])
            #expect(pairs.allSatisfy { $0.own.count == 3 + size && $0.own.dropFirst(2) == $0.other.dropFirst(2) })
        }
    }

    @Test(
        "kernels that are not normalised, of even sides, or with commas filter as source-extractor's",
        arguments: [
            "CONV NONORM\n-1 -1 -1\n-1 8 -1\n-1 -1 -1\n", "CONV NORM\n1 2 3 4\n", "CONV NORM\n1 2\n3 4\n",
            "CONV NORM 3 3\n1, 2, 1\n2, 4, 2\n1, 2, 1\n", "CONV\n1 2 1 0\n2 4 2 0\n1 2 1 0\n0 0 0 0\n",
        ])
    func kernels(text: String) throws {
        let image = try image("kernel.fits", Self.stars)
        let kernel = try scene.write(text.utf8, "other.conv")
        func filtered(_ name: String) throws -> Data {
            // The samples: headers have other cards.
            let bytes = try scene.bytes(name)
            let count = (Self.side * Self.side * 4 + 2879) / 2880 * 2880
            return bytes.suffix(count)
        }
        let words =
            try words(image, "kernel.cat", "X_IMAGE\n") + ["-FILTER_NAME", kernel, "-CHECKIMAGE_TYPE", "FILTERED"]
        let own = try Program.run(
            ["sex"] + words + ["-CHECKIMAGE_NAME", scene.path("own.fits"), "--no-discovery", "--no-journal"])
        try #require(own.code == 0, "\(own.errors)")
        let found = try rows("kernel.cat").count
        let other = try Program.run(
            path: "/usr/bin/source-extractor", words + ["-CHECKIMAGE_NAME", scene.path("other.fits")])
        try #require(other.code == 0, "\(other.errors)")
        #expect(try filtered("own.fits") == filtered("other.fits"))
        let expected = try rows("kernel.cat").count
        #expect(abs(found - expected) <= max(1, expected / 50), "\(found) sources, \(expected) expected")
    }

    @Test("of two images BACKGROUND_RMS is that of the detection, MINIBACK_RMS that of the measured one")
    func dualNoise() throws {
        let images = try [("a.fits", 10.0), ("b.fits", 3)].map { try image($0.0, Self.stars, noise: $0.1) }
        func checks(_ prefix: String) -> [String] {
            let names = ["rms", "mini", "level"].map { scene.path("\(prefix)-\($0).fits") }
            let types = "BACKGROUND_RMS,MINIBACK_RMS,BACKGROUND"
            return ["-CHECKIMAGE_TYPE", types, "-CHECKIMAGE_NAME", names.joined(separator: ",")]
        }
        let words = try words(images.joined(separator: ","), "dual.cat", "X_IMAGE\n")
        let own = try Program.run(["sex"] + words + checks("own") + ["--no-discovery", "--no-journal"])
        try #require(own.code == 0, "\(own.errors)")
        let other = try Program.run(path: "/usr/bin/source-extractor", words + checks("other"))
        try #require(other.code == 0, "\(other.errors)")
        for name in ["rms", "mini", "level"] {
            let (found, expected) = (try scene.bytes("own-\(name).fits"), try scene.bytes("other-\(name).fits"))
            #expect(found.suffix(2880) == expected.suffix(2880), "\(name)")
        }
    }

    @Test("a .param file with SExtractor's descriptions has its columns alone")
    func descriptions() throws {
        let image = try image("described.fits", Self.stars)
        let columns = """
            NITER_WIN  Number of iterations for WIN centering
            VIGNET(5, 3)
            FLUX_MAX  Peak flux above background
            """
        for pair in try pairs(image, columns) {
            #expect(pair.own.count == pair.other.count && pair.own.count == 19)
            #expect(pair.own[2] == pair.other[2] && Self.areClose(pair, 18, within: 1e-5), "\(pair)")
        }
    }
}

/// Shapes on the sky, by astropy's coordinates.
@Suite(
    "shapes on the sky", .serialized, .enabled(if: AstropyPython.isPresent, Comment(rawValue: AstropyPython.absent)))
struct SkyShapeTests {
    /// The position angle and the length on the sky of a pixel's step along each position's angle.
    private static let script = """
        import sys
        import numpy as np
        from astropy.coordinates import SkyCoord
        from astropy.io import fits
        from astropy.wcs import WCS
        wcs = WCS(fits.getheader(sys.argv[1]))
        for line in sys.stdin:
            x, y, angle = map(float, line.split())
            dx, dy = 0.05 * np.cos(np.radians(angle)), 0.05 * np.sin(np.radians(angle))
            a, b = wcs.pixel_to_world(x - 1 - dx, y - 1 - dy), wcs.pixel_to_world(x - 1 + dx, y - 1 + dy)
            middle = wcs.pixel_to_world(x - 1, y - 1)
            print(middle.position_angle(b).deg, a.separation(b).deg / 0.1)
        """

    @Test("axes and angles near the pole, and within a pixel of it", arguments: [90.0, 89.99995, 89.9999, 89.9, 20])
    func pole(declination: Double) throws {
        let scene = try Scene()
        var random = SplitMix64(seed: 3)
        let samples = (0..<300 * 300).map { place in
            let (x, y) = (Double(place % 300) - 150.3, Double(place / 300) - 150.5)
            let (u, v) = (x * 0.866 + y * 0.5, y * 0.866 - x * 0.5)
            return Float(3000 * exp(-u * u / 32 - v * v / 8) + Double.random(in: -2...2, using: &random))
        }
        let cards = [
            "CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'", "CRPIX1  = 151.0", "CRPIX2  = 151.0", "CRVAL1  = 77.0",
            "CRVAL2  = \(declination)", "CD1_1   = -2E-4", "CD1_2   = 0.0", "CD2_1   = 0.0", "CD2_2   = 2E-4",
        ]
        let image = try scene.image("pole.fits", axes: [300, 300], samples: samples, cards: cards)
        let columns = "X_IMAGE\nY_IMAGE\nTHETA_IMAGE\nA_IMAGE\nB_IMAGE\nA_WORLD\nB_WORLD\nTHETA_J2000\n"
        let result = try Program.run([
            "sex", image, "-c", "/dev/null", "-FILTER", "N", "-DETECT_THRESH", "10", "-CATALOG_TYPE", "ASCII",
            "-PARAMETERS_NAME", try scene.write(columns.utf8, "shape.param"), "-CATALOG_NAME", scene.path("pole.cat"),
            "--no-discovery", "--no-journal",
        ])
        try #require(result.code == 0, "\(result.errors)")
        let row = String(decoding: try scene.bytes("pole.cat"), as: UTF8.self).split(separator: " ")
            .compactMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        try #require(row.count == 8)
        #expect(abs(row[5] / (row[3] * 2e-4) - 1) < 1e-3 && abs(row[6] / (row[4] * 2e-4) - 1) < 1e-3, "\(row)")
        let answer = try AstropyPython.run(["-c", Self.script, image], input: "\(row[0]) \(row[1]) \(row[2])\n")
        let words = answer.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        try #require(words.count == 2)
        #expect(
            abs((row[7] - words[0]).remainder(dividingBy: 180)) < 0.3 && abs(words[1] / 2e-4 - 1) < 1e-3, "\(words)")
    }

    @Test("a blank image of a mosaic keeps its place in LDAC and FITS_1.0 catalogues, and is named")
    func blank() throws {
        let scene = try Scene()
        let make = """
            import sys
            import numpy as np
            from astropy.io import fits
            sky = np.random.default_rng(1).normal(100, 5, (80, 90)).astype("f4")
            sky[40:43, 50:53] += 900
            images = [fits.ImageHDU(i, name=f"C{n}") for n, i in enumerate([sky, sky * np.nan, sky], 1)]
            fits.HDUList([fits.PrimaryHDU(), *images]).writeto(sys.argv[1])
            """
        let image = scene.path("blank.fits")
        _ = try AstropyPython.run(["-c", make, image])
        let columns = try scene.write("NUMBER\nX_IMAGE\nVIGNET(3,3)\n".utf8, "blank.param")
        for (type, tables) in [("FITS_LDAC", 2), ("FITS_1.0", 1)] {
            let name = scene.path("blank.\(tables)")
            let result = try Program.run([
                "sex", image, "-c", "/dev/null", "-FILTER", "N", "-PARAMETERS_NAME", columns, "-CATALOG_TYPE", type,
                "-CATALOG_NAME", name, "--no-discovery", "--no-journal",
            ])
            #expect(result.code == 23 && result.errors.contains("\(image)[2]: every pixel"), "\(result.errors)")
            let list = """
                import sys
                from astropy.io import fits
                with fits.open(sys.argv[1]) as file:
                    for hdu in file[1:]:
                        header = "".join(map(str, hdu.data[0][0])) if hdu.name == "LDAC_IMHEAD" else ""
                        print(len(hdu.data), "EXTNAME = 'C2" in header)
                """
            let lines = try AstropyPython.run(["-c", list, name]).split(separator: "\n").map(String.init)
            try #require(lines.count == 3 * tables)
            #expect(lines.count { $0.hasPrefix("0 ") } == 1 && lines[2 * tables - 1].hasPrefix("0 "), "\(lines)")
            if tables == 2 { #expect(lines[2].hasSuffix("True") && !lines[0].hasSuffix("True"), "\(lines)") }
        }
    }
}
