import Foundation
import SkyTestSupport
import Testing

/// Programs that come after SExtractor, on its catalogues and on Skyfarm's.
@Suite("clients of SExtractor's catalogues", .serialized) struct SexClientTests {
    private static let columns = [
        "NUMBER", "X_IMAGE", "Y_IMAGE", "XWIN_IMAGE", "YWIN_IMAGE", "ERRAWIN_IMAGE", "ERRBWIN_IMAGE",
        "ERRTHETAWIN_IMAGE", "FLUX_AUTO", "FLUXERR_AUTO", "MAG_AUTO", "FLUX_APER(1)", "FLUXERR_APER(1)", "FLUX_RADIUS",
        "ELONGATION", "FLAGS", "SNR_WIN", "VIGNET(35,35)",
    ]

    let scene: Scene

    init() throws {
        scene = try Scene()
        _ = try scene.write(Self.columns.joined(separator: "\n").utf8, "columns.param")
        _ = try scene.write("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n".utf8, "pyramid.conv")
        let settings = [
            "PARAMETERS_NAME \(scene.path("columns.param"))", "FILTER_NAME \(scene.path("pyramid.conv"))",
            "PHOT_APERTURES 10", "PIXEL_SCALE 0", "MAG_ZEROPOINT 30", "SATUR_LEVEL 1e9",
        ]
        _ = try scene.write(settings.joined(separator: "\n").utf8, "settings.sex")
    }

    private static func isPresent(_ names: String...) -> Bool {
        names.allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
    }

    /// The catalogue of an image by either program.
    private func catalogue(
        _ image: String, _ name: String, type: String = "FITS_LDAC", own: Bool, _ more: [String] = []
    ) throws -> String {
        let words =
            [
                image, "-c", scene.path("settings.sex"), "-CATALOG_TYPE", type, "-CATALOG_NAME", scene.path(name),
                "-VERBOSE_TYPE", "QUIET",
            ] + more
        let result =
            own
            ? try Program.run(["sex"] + words + ["--no-discovery", "--no-journal"])
            : try Program.run(path: SourceExtractorProgram.path, words)
        try #require(result.code == 0, "\(result.errors)")
        return scene.path(name)
    }

    /// Runs a client, which writes its files to the scene's folder.
    private func client(_ words: [String]) throws -> String {
        let result = try Program.run(
            path: "/usr/bin/env", ["-C", scene.folder] + words, environment: ["HOME": scene.folder])
        try #require(result.code == 0, "\(result.errors)\(result.output)")
        return result.output + result.errors
    }

    @Test(
        "psfex makes the same point spread function of both",
        .enabled(if: isPresent("psfex", "source-extractor"), "needs psfex and source-extractor (Debian)"))
    func psfex() throws {
        let sky = try scene.sky(size: "900x900", ["--galaxies", "0", "--density", "700", "--seed", "3"])
        func width(_ name: String, own: Bool) throws -> Double {
            _ = try catalogue(sky, name + ".cat", own: own)
            _ = try client([
                "psfex", name + ".cat", "-CHECKPLOT_TYPE", "NONE", "-CHECKIMAGE_TYPE", "NONE", "-WRITE_XML", "N",
            ])
            let header = String(decoding: try scene.bytes(name + ".psf").prefix(28_800), as: Unicode.ASCII.self)
            let value = try #require(header.firstMatch(of: /PSF_FWHM= *([0-9.E+-]+)/)?.1)
            return try #require(Double(value))
        }
        let (own, other) = (try width("own", own: true), try width("other", own: false))
        #expect(abs(own / other - 1) < 0.02 && own > 2 && own < 4, "\(own), \(other)")
    }

    @Test(
        "the fits of psfex's model are source-extractor's",
        .enabled(if: isPresent("psfex", "source-extractor"), "needs psfex and source-extractor (Debian)"))
    func pointSpread() throws {
        let sky = try scene.sky(size: "800x800", ["--galaxies", "0.3", "--density", "500", "--seed", "4"])
        _ = try catalogue(sky, "stars.cat", own: true)
        _ = try client([
            "psfex", "stars.cat", "-CHECKPLOT_TYPE", "NONE", "-CHECKIMAGE_TYPE", "NONE", "-WRITE_XML", "N",
        ])
        let columns = [
            "X_IMAGE", "Y_IMAGE", "FLUX_AUTO", "FLUXERR_AUTO", "FLAGS", "XPSF_IMAGE", "YPSF_IMAGE", "MAG_PSF",
            "FLUXERR_PSF", "SPREAD_MODEL", "SPREADERR_MODEL",
        ]
        _ = try scene.write(columns.joined(separator: "\n").utf8, "fits.param")
        func rows(own: Bool) throws -> [[Double]] {
            let more = ["-PARAMETERS_NAME", scene.path("fits.param"), "-PSF_NAME", scene.path("stars.psf")]
            let file = try catalogue(sky, "fits.cat", type: "ASCII", own: own, more)
            return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
                $0.split(separator: " ").map { Double($0) ?? .nan }
            }
        }
        let own = try rows(own: true)
        // Sources above 30 sigma that are alone: position, magnitude, error of the flux, spread and its error.
        var (count, near) = (0, [0, 0, 0, 0, 0])
        for other in try rows(own: false) where other[2] > 30 * other[3] && Int(other[4]) & 3 == 0 {
            guard
                let row = own.min(by: {
                    hypot($0[0] - other[0], $0[1] - other[1]) < hypot($1[0] - other[0], $1[1] - other[1])
                }),
                hypot(row[0] - other[0], row[1] - other[1]) < 0.01
            else { continue }
            count += 1
            let isEqual = [
                hypot(row[5] - other[5], row[6] - other[6]) < 0.02, abs(row[7] - other[7]) < 0.01,
                abs(row[8] / other[8] - 1) < 0.01, abs(row[9] - other[9]) < 0.001, abs(row[10] / other[10] - 1) < 0.05,
            ]
            for (place, isEqual) in isEqual.enumerated() where isEqual { near[place] += 1 }
        }
        #expect(count > 30 && near.allSatisfy { $0 * 100 >= count * 95 }, "\(near) of \(count)")
    }

    @Test("columns of fits need a model that can be read")
    func noPointSpread() throws {
        let sky = try scene.sky(size: "128x128")
        _ = try scene.write("NUMBER\nMAG_PSF\n".utf8, "fits.param")
        _ = try scene.write("SIMPLE".utf8, "empty.psf")
        for (name, cause) in [("none.psf", "none.psf"), ("empty.psf", "empty.psf"), (sky, "PSF_MASK")] {
            let path = name.hasPrefix("/") ? name : scene.path(name)
            let result = try Program.run([
                "sex", sky, "-c", scene.path("settings.sex"), "-PARAMETERS_NAME", scene.path("fits.param"), "-PSF_NAME",
                path, "--no-discovery", "--no-journal",
            ])
            #expect(result.code == 2 && result.errors.contains(cause), "\(result.code): \(result.errors)")
        }
    }

    @Test(
        "scamp solves four overlapping exposures as well as from SExtractor's catalogues",
        .enabled(if: isPresent("scamp", "source-extractor"), "needs scamp and source-extractor (Debian)"))
    func scamp() throws {
        let sky = try scene.sky(
            size: "1200x1200",
            ["--galaxies", "0", "--density", "700", "--seed", "3", "--truth", scene.path("truth.csv")])
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "overlapping_exposures.py")
        _ = try client(["/usr/bin/python3", script.path(), sky, scene.path("truth.csv"), scene.folder])
        func residuals(own: Bool) throws -> [Double] {
            let prefix = own ? "own" : "other"
            let names = try (0..<4).map {
                try catalogue(scene.path("exposure\($0).fits"), "\(prefix)\($0).cat", own: own)
            }
            let log = try client(
                ["scamp"] + names + [
                    "-ASTREF_CATALOG", "FILE", "-ASTREFCAT_NAME", "reference.cat", "-CHECKPLOT_TYPE", "NONE",
                    "-WRITE_XML", "N", "-SOLVE_PHOTOM", "N", "-MATCH", "N",
                ])
            let lines = log.matches(of: /Group +1: ([0-9.e-]+)" ([0-9.e-]+)"/)
            return lines.flatMap { [$0.1, $0.2].compactMap { Double($0) } }
        }
        let (own, other) = (try residuals(own: true), try residuals(own: false))
        #expect(own.count >= 4 && own.count == other.count)
        // Within 5 %, and below a hundredth of a pixel.
        for (own, other) in zip(own, other) { #expect(own < other * 1.05 + 0.0003, "\(own), \(other)") }
    }

    @Test(
        "stilts and astropy read every format",
        .enabled(if: isPresent("stilts", "python3"), "needs stilts and python3-astropy (Debian)"))
    func stilts() throws {
        let sky = try scene.sky(size: "400x400")
        var counts: Set<String> = []
        for (type, place, format) in [("FITS_LDAC", "#2", "fits"), ("ASCII_VOTABLE", "", "votable")] {
            let file = try catalogue(sky, "\(type).cat", type: type, own: true)
            let output = try client(["stilts", "tpipe", "in=\(file)\(place)", "ifmt=\(format)", "omode=count"])
            counts.insert(String(try #require(output.firstMatch(of: /rows: *([0-9]+)/)?.1)))
        }
        #expect(counts.count == 1 && counts != ["0"], "\(counts)")
        // A Java machine takes seconds to start: astropy reads the others.
        for (type, arguments) in [("FITS_1.0", "hdu=1"), ("ASCII_HEAD", "format='ascii.sextractor'")] {
            let file = try catalogue(sky, "\(type).cat", type: type, own: true)
            let code = "import sys; from astropy.table import Table; print(len(Table.read(sys.argv[1], \(arguments))))"
            let read = try client(["/usr/bin/python3", "-c", code, file])
            #expect(counts.contains(read.trimmingCharacters(in: .whitespacesAndNewlines)), "\(read)")
        }
    }
}
