import Foundation
import Testing

/// `scan --merged`: one table of the sources of many files.
@Suite("scan --merged", .serialized) struct MergedTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
        try FileManager.default.createDirectory(atPath: scene.path("night"), withIntermediateDirectories: true)
        for (index, name) in ["a.fits", "b.fits", "c.fits"].enumerated() {
            _ = try scene.sky("night/" + name, size: "\(300 + 50 * index)x300", ["--seed", "\(index)"])
        }
        _ = try scene.mosaic("night/m.fits", count: 2)
    }

    private struct Document: Decodable {
        var done: Int
        var resumed: Int
        var sources: Int
        var merged: String?
    }

    private func run(_ further: [String], to folder: String = "out/") throws -> Program.Result {
        try Program.run(
            ["scan", scene.path("night"), "-o", scene.path(folder), "--json"] + further,
            environment: ["XDG_STATE_HOME": scene.path("state")])
    }

    private func document(_ result: Program.Result) throws -> Document {
        try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
    }

    private func rows(_ name: String) throws -> [Substring] {
        String(decoding: try scene.bytes(name), as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    @Test("has the rows of all catalogues in the order of the files, whatever scans them, and names what failed")
    func equal() throws {
        try Data("no image".utf8).write(to: URL(fileURLWithPath: scene.path("night/bad.fits")))
        let first = try run(["--merged", scene.path("sub/all.ecsv"), "--local-slots", "1"])
        #expect(first.code == 23, "\(first.errors)")
        #expect(try document(first).merged == scene.path("sub/all.ecsv"))
        let node = try Node("node")
        let words = ["--merged", scene.path("all.ecsv"), "--no-journal", "--priority", "c*", "--local-slots", "0"]
        let second = try run(words + ["--node", node.address], to: "other/")
        #expect(second.code == 23, "\(second.errors)")
        #expect(try scene.bytes("all.ecsv") == scene.bytes("sub/all.ecsv"))
        let text = String(decoding: try scene.bytes("all.ecsv"), as: UTF8.self)
        #expect(text.contains("HISTORY:\n#   - \"\(scene.path("night/bad.fits")): not a FITS file"))
        let rows = try rows("all.ecsv").dropFirst()
        #expect(rows.count == (try document(first)).sources)
        let images = rows.reduce(into: [String]()) { images, row in
            let name = String(row.prefix { $0 != "," })
            if images.last != name { images.append(name) }
        }
        #expect(images == ["a.fits", "b.fits", "c.fits"].map { scene.path("night/" + $0) })
    }

    @Test("the same command resumes it: it is kept, made again after a change, and never replaces another file")
    func resumed() throws {
        let words = ["--merged", scene.path("all.csv")]
        #expect(try run(words).code == 0)
        let whole = try scene.bytes("all.csv")
        let kept = try document(run(words))
        #expect(kept.resumed == 4 && kept.merged == nil)
        try FileManager.default.removeItem(atPath: scene.path("all.csv"))
        let lost = try document(run(words))
        #expect(lost.resumed == 4 && lost.merged != nil)
        #expect(try scene.bytes("all.csv") == whole)
        // One image changes: the table is replaced, which the job wrote.
        _ = try scene.sky("night/b.fits", size: "350x300", ["--seed", "9", "--overwrite"])
        let changed = try document(run(words))
        #expect(changed.resumed == 3 && changed.merged != nil)
        #expect(try rows("all.csv").count == changed.sources + 1)
        #expect(try scene.bytes("all.csv") != whole)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: scene.path("all.csv")))
        let refused = try run(words)
        #expect(refused.code == 6 && refused.errors.contains("all.csv: exists already"), "\(refused.errors)")
        #expect(try scene.bytes("all.csv") == Data("mine".utf8))
        // Files that are left out have rows as well.
        let skipped = try document(run(words + ["--skip-existing", "--no-journal", "--overwrite"]))
        #expect(skipped.done == 4 && skipped.sources == 0)
        #expect(try rows("all.csv").count == changed.sources + 1)
    }

    @Test("is refused before any work without FITS catalogues, for other formats, and with --watch")
    func refused() throws {
        let csv = try Program.run(
            ["scan", scene.path("night"), "-o", scene.path("out/{stem}.csv"), "--merged", scene.path("all.fits")])
        #expect(csv.code == 2 && csv.errors.contains("--merged reads the FITS catalogues"), "\(csv.errors)")
        #expect(try run(["--merged", scene.path("all.reg")]).errors.contains("ends in .fits, .fit, .csv or .ecsv"))
        #expect(
            try run(["--merged", scene.path("out/a.fits")]).errors.contains("is an image, or the catalogue of one"))
        #expect(try run(["--merged", scene.path("all.fits"), "--watch"]).errors.contains("--watch does not end"))
        #expect(scene.outputs.isEmpty)
    }
}
