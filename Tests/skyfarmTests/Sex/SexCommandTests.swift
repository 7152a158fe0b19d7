import Foundation
import Testing

/// `skyfarm sex` as a process.
@Suite("skyfarm sex", .serialized) struct SexCommandTests {
    let scene: Scene

    init() throws { scene = try Scene() }

    private func sex(_ words: [String]) throws -> Program.Result {
        try Program.run(["sex"] + words + ["--no-discovery", "--no-journal"])
    }

    private func parameters(_ columns: String) throws -> String {
        try scene.write(columns.split(separator: " ").joined(separator: "\n").utf8, "columns.param")
    }

    @Test("a catalogue in SExtractor's format, the same from nodes as from this machine")
    func catalogue() throws {
        let sky = try scene.sky(size: "700x600")
        let columns = try parameters("NUMBER X_IMAGE XWIN_IMAGE MAG_AUTO MAG_APER(2) FLAGS VIGNET(5,5) FLUX_RADIUS")
        let node = try Node("sextant")
        func scan(_ name: String, _ further: [String]) throws -> Data {
            let result = try sex(
                [sky, "-PARAMETERS_NAME", columns, "-PHOT_APERTURES", "4,8", "-CATALOG_NAME", scene.path(name)]
                    + further)
            #expect(result.code == 0, "\(result.errors)")
            return try scene.bytes(name)
        }
        let own = try scan("own.cat", [])
        let lines = String(decoding: own, as: UTF8.self).split(separator: "\n")
        #expect(lines[0].hasPrefix("#   1 NUMBER ") && lines.count > 40)
        #expect(lines[7].hasPrefix("#  33 FLUX_RADIUS "))
        #expect(lines[8].split(separator: " ").count == 33)
        #expect(try scan("uncleaned.cat", ["-CLEAN", "N"]).count >= own.count)
        let farmed = try scan("farmed.cat", ["--local-slots=0", "--node=\(node.address)", "--band=64"])
        #expect(farmed == own)
        // The flag is the same as that of SExtractor's name.
        let flags = try Program.run([
            "scan", sky, "--columns", columns, "--apertures", "4,8", "--pixel-scale", "1", "-o", scene.path("scan.cat"),
            "--no-discovery", "--no-journal", "--gain", "none", "--overwrite",
        ])
        #expect(flags.code == 0, "\(flags.errors)")
    }

    @Test("programs that run SExtractor find its version", arguments: [["-v"], ["--version"], []])
    func version(words: [String]) throws {
        // A configuration that cannot be read is no concern of theirs.
        _ = try scene.write("BACK_SIZE 64 64 64 what".utf8, "default.sex")
        let result = try Program.run(path: "/usr/bin/env", ["-C", scene.folder, Program.path, "sex"] + words)
        let text = words.isEmpty ? result.errors : result.output
        #expect(text.contains(/[Vv]ersion 2\.25\.0/) && text.contains("skyfarm"), "\(text)")
        #expect(result.code == (words.isEmpty ? 2 : 0))
    }

    @Test("header cards beside the image replace those of its header; a set of them is missing")
    func head() throws {
        let sky = try scene.sky(size: "200x200")
        let columns = try parameters("X_IMAGE Y_IMAGE ALPHA_J2000 DELTA_J2000")
        func rows() throws -> [[Double]] {
            let name = scene.path("head.cat")
            let result = try sex([sky, "-PARAMETERS_NAME", columns, "-CATALOG_TYPE", "ASCII", "-CATALOG_NAME", name])
            #expect(result.code == 0, "\(result.errors)")
            return try String(contentsOfFile: name, encoding: .utf8).split(separator: "\n").map { line in
                line.split(separator: " ").map { Double($0) ?? .nan }
            }
        }
        let before = try rows()
        let cards = [
            "COMMENT   by hand", "EQUINOX =               2000.0", "CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'",
            "CRVAL1  =                 20.0 / degrees", "CRVAL2  =                  0.0",
            "CRPIX1  =                  1.0", "CRPIX2  =                  1.0", "CD1_1   =               -0.001",
            "CD1_2   =                  0.0",
            "CD2_1   =                  0.0", "CD2_2   =                0.001", "END",
        ]
        _ = try scene.write(cards.joined(separator: "\n").utf8, "sky.head")
        let after = try rows()
        try #require(before.count == after.count && before.count > 3)
        for (old, new) in zip(before, after) {
            #expect(old[0] == new[0] && old[2] != new[2])
            #expect(abs(new[3] - (new[1] - 1) * 0.001) < 1e-4 && abs(new[2] - (20 - (new[0] - 1) * 0.001)) < 1e-4)
        }
        _ = try scene.write("".utf8, "sky.head")
        let empty = try sex([sky, "-PARAMETERS_NAME", columns, "-CATALOG_NAME", scene.path("head.cat")])
        #expect(empty.code == 5 && empty.errors.contains("sky.head"), "\(empty.errors)")
    }

    @Test("the program under the name of SExtractor is the command")
    func link() throws {
        try FileManager.default.createSymbolicLink(atPath: scene.path("sex"), withDestinationPath: Program.path)
        let listing = try Program.run(path: scene.path("sex"), ["-dd"])
        #expect(listing.code == 0 && listing.output.contains("\nDETECT_MINAREA   5 "))
        let columns = try Program.run(path: scene.path("sex"), ["-dp"])
        #expect(columns.output.hasPrefix("#NUMBER ") && columns.output.contains("\n#MAG_AUTO "))
    }

    @Test("what cannot be done is one line with exit code 2")
    func failures() throws {
        let sky = try scene.sky(size: "64x64")
        let columns = try parameters("NUMBER FLAGS")
        let settings = try scene.write("DETECT_THRESH 3\nDETECT_TYPE PHOTO\n".utf8, "bad.sex")
        for words in [[sky, "-c", settings], [sky, "-PARAMETERS_NAME", columns, "-WRITE_XML", "Y"], []] {
            let result = try sex(words)
            #expect(result.code == 2, "\(words): \(result.errors)")
            #expect(result.errorLines.filter { !$0.contains("not found") }.count == 1)
        }
        #expect(try sex([sky, "-c", settings]).errors.contains("bad.sex:2: DETECT_TYPE: PHOTO is not supported"))
        let flags = try parameters("NUMBER IMAFLAGS_ISO")
        let missing = try sex([sky, "-PARAMETERS_NAME", flags, "-FLAG_IMAGE", scene.path("none.fits")])
        #expect(missing.code == 5 && missing.errors.contains("none.fits"))
    }
}
