import Foundation
import SkyTestSupport
import Testing

/// `scan --at`: fluxes at given positions.
@Suite("scan --at", .serialized) struct ForcedScanTests {
    let scene: Scene

    init() throws { scene = try Scene() }

    private func run(_ words: [String]) throws -> Program.Result {
        try Program.run(["scan"] + words + ["--no-discovery"], environment: ["XDG_STATE_HOME": scene.path("state")])
    }

    /// Positions all over an image of this size, some beyond its edges, and at small steps away from two.
    private func list(_ width: Double, _ height: Double) throws -> String {
        var text = "x,y,name\n"
        for step in 0..<20 {
            let distance = Double(step) / 10 + 1
            text += step % 2 == 0 ? "\(-distance),200.4,left\n" : "300,\(height + distance),above\n"
        }
        for index in 0..<280 {
            let (x, y) = (Double(index * 7919 % 10_007) / 10_007, Double(index * 104_729 % 10_009) / 10_009)
            text += "\(x * (width + 20) - 10),\(y * (height + 20) - 10),star \(index)\n"
        }
        return try scene.write(text.utf8, "list.csv")
    }

    private func rows(_ name: String) throws -> [[Double]] {
        let lines = String(decoding: try scene.bytes(name), as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
        return lines.dropFirst().map { $0.split(separator: ",").map { Double($0) ?? .nan } }
    }

    @Test(
        "fluxes, errors, limits and flags are those of python3-sep's sum_circle",
        .enabled(if: PythonSEP.isPresent, Comment(rawValue: PythonSEP.missing)))
    func oracle() throws {
        let sky = try scene.sky()
        let list = try list(600, 500)
        let result = try run([
            sky, "--at", list, "--apertures", "4,11.5", "--gain", "2.5", "--limit-sigma", "5", "--no-journal", "-o",
            scene.path("own.csv"),
        ])
        #expect(result.code == 0 && result.errors.contains("300 positions"), "\(result.errors)")
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "sum_circle.py").path
        let oracle = try Subprocess.run("/usr/bin/python3", [script, sky, list, "4,11.5", "2.5"])
        try #require(oracle.status == 0, "\(oracle.errors)")
        let expected = oracle.output.split(separator: "\n").map { $0.split(separator: " ").map { Double($0) ?? .nan } }
        let own = try rows("own.csv")
        try #require(own.count == 300 && expected.count == 600)
        let header = try #require(
            String(decoding: try scene.bytes("own.csv"), as: UTF8.self).split(separator: "\n")
                .first { !$0.hasPrefix("#") })
        let names = header.split(separator: ",").map(String.init)
        func column(_ name: String) throws -> Int { try #require(names.firstIndex(of: name)) }
        var (measured, cut) = (0, 0)
        for (place, suffix) in ["", "_1"].enumerated() {
            let columns = try ["flux_aper", "fluxerr_aper", "fluxlimit_aper", "flag_aper"].map {
                try column($0 + suffix)
            }
            for (row, values) in own.enumerated() {
                let wanted = expected[2 * row + place]
                if values[columns[3]] == 256 {
                    // Outside of the image sep's sums are empty.
                    #expect(values[columns[0]].isNaN && wanted[0] == 0)
                    continue
                }
                measured += 1
                cut += values[columns[3]] == 16 ? 1 : 0
                #expect(values[columns[0]] == wanted[0] && values[columns[1]] == wanted[1], "row \(row)")
                #expect(values[columns[2]] == 5 * wanted[2] && values[columns[3]] == wanted[3], "row \(row)")
            }
        }
        #expect(measured > 500 && cut > 10)
    }

    @Test("the same bytes from nodes, in bands and from a journal, of one image and of many")
    func equal() throws {
        let skies = try (0..<2).map {
            try scene.sky("sky\($0).fits", size: "\(500 + 100 * $0)x450", ["--seed", "\($0)"])
        }
        // Celestial positions: those of the sources of the first image, of which the second shows some.
        #expect(try run([skies[0], "-o", scene.path("sources.fits"), "--no-journal"]).code == 0)
        let words = ["--at", scene.path("sources.fits"), "--apertures", "6"]
        let node = try Node("forced")
        let whole = try run([skies[1], "-o", scene.path("one.fits"), "--local-slots", "1"] + words)
        #expect(whole.code == 0, "\(whole.errors)")
        let farmed = ["--local-slots", "0", "--node", node.address, "--band", "64"]
        let banded = try run([skies[1], "-o", scene.path("banded.fits"), "--no-journal"] + words + farmed)
        #expect(banded.code == 0, "\(banded.errors)")
        #expect(try scene.bytes("banded.fits") == scene.bytes("one.fits"))
        let many = ["-o", scene.path("out/"), "--merged", scene.path("all.csv")] + words
        let first = try run(skies + many + farmed)
        #expect(first.code == 0 && first.errors.contains("positions"), "\(first.errors)")
        #expect(try scene.bytes("out/sky1.fits") == scene.bytes("one.fits"))
        let merged = try rows("all.csv")
        #expect(merged.count > 100 && merged.count % 2 == 0)
    }

    @Test("a scan that is killed goes on with the images that are not done; the catalogues are the same to the byte")
    func killed() throws {
        let skies = try (0..<5).map {
            try scene.sky("sky\($0).fits", size: "\(700 + 20 * $0)x700", ["--seed", "\($0)"])
        }
        let words = ["scan"] + skies + ["--at", try list(700, 700), "--local-slots", "1", "--no-discovery"]
        let environment = ["XDG_STATE_HOME": scene.path("state")]
        let whole = try Program.run(words + ["-o", scene.path("whole/"), "--no-journal"])
        #expect(whole.code == 0, "\(whole.errors)")
        let again = words + ["-o", scene.path("out/")]
        let program = try Program(again + ["--progress", "json"], environment: environment)
        try program.wait("two files") { $0.components(separatedBy: #""event":"file-ended""#).count > 2 }
        program.send(SIGKILL)
        #expect(try program.finish().code == -SIGKILL)
        let result = try Program.run(again + ["--json"], environment: environment)
        #expect(result.code == 0 && result.output.contains(/"resumed" ?: ?[1-5]/), "\(result.output)\(result.errors)")
        for index in 0..<5 {
            #expect(try scene.bytes("out/sky\(index).fits") == scene.bytes("whole/sky\(index).fits"), "\(index)")
        }
    }

    @Test(
        "a list that cannot be used is one line with exit code 5, flags that do not belong to it with 2",
        arguments: [
            ("a,b\n1,2\n", [], "list.csv:1: the first line must name"), ("x,y\n1,nan\n", [], "list.csv:2: \"nan\""),
            ("x,y\n1\n", [], "list.csv:2: \"\""), ("x,y\n", [], "no positions"), ("", [], "must name"),
            ("x,y\n1,2\n", ["--columns", "NUMBER"], "--columns"), ("x,y\n1,2\n", ["--report", "a.html"], "--report"),
        ])
    func refused(text: String, words: [String], reason: String) throws {
        let sky = try scene.sky(size: "64x64")
        let list = try scene.write(text.utf8, "list.csv")
        let result = try run([sky, "--at", list, "--no-journal"] + words)
        #expect(result.code == (words.isEmpty ? 5 : 2) && result.errorLines.count == 1, "\(result.errors)")
        #expect(result.errors.contains(reason), "\(result.errors)")
    }

    @Test("celestial positions need an image with coordinates; a limit needs a list")
    func incomplete() throws {
        let plain = try scene.image("plain.fits", axes: [80, 70], samples: (0..<5600).map { Float($0 % 7) })
        let list = try scene.write("ra,dec\n1,2\n".utf8, "list.csv")
        let result = try run([plain, "--at", list, "--no-journal"])
        #expect(result.code == 5 && result.errors.contains("plain.fits"), "\(result.errors)")
        #expect(try run([plain, "--limit-sigma", "4"]).code == 2)
        #expect(try run([plain, "--at", scene.path("none.csv")]).code == 5)
    }
}
