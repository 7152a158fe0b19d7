import Foundation
import Testing

import Console

/// One command for many images.
@Suite("scan of many images", .serialized) struct ManyImagesTests {
    let scene: Scene

    init() throws { scene = try Scene() }

    private struct Document: Decodable {
        struct File: Decodable {
            var file: String
            var images: [Image]
            var outputs: [String]
            var errors: [String]?
        }

        struct Image: Decodable {
            var image: String
            var hdu: Int
            var extname: String?
            var sources: Int
        }

        var files: [File]
        var done: Int
        var failed: Int
        var images: Int
        var sources: Int
    }

    private func document(_ result: Program.Result) throws -> Document {
        try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
    }

    /// Synthetic skies of these names in the folder `night`.
    private func night(_ names: [String]) throws -> [String] {
        try FileManager.default.createDirectory(atPath: scene.path("night"), withIntermediateDirectories: true)
        return try names.enumerated().map { index, name in
            try scene.sky("night/" + name, size: "\(300 + 50 * index)x200", ["--seed", "\(index)"])
        }
    }

    @Test("each catalogue is that of the image alone, to the byte, on two nodes and with a failing image among them")
    func equal() throws {
        let paths = try night(["a.fits", "b.fits", "c.fits", "d.fits", "e.fits"])
        try Data("no image".utf8).write(to: URL(fileURLWithPath: scene.path("night/bad.fits")))
        let nodes = [try Node("first"), try Node("second")]
        let result = try Program.run(
            ["scan", scene.path("night"), "-o", scene.path("out/"), "--local-slots", "0", "--json"]
                + nodes.flatMap { ["--node", $0.address] })
        #expect(result.code == 23, "\(result.errors)")
        let report = try document(result)
        #expect(report.done == 5 && report.failed == 1 && report.images == 5)
        let failure = try #require(report.files.first { $0.outputs.isEmpty })
        #expect(failure.file == scene.path("night/bad.fits"))
        #expect(failure.errors?.first?.contains("not a FITS file") == true)
        #expect(result.errorLines.contains { $0.contains("bad.fits: not a FITS file") })
        for path in paths {
            let name = (path as NSString).lastPathComponent
            let alone = try Program.run(["scan", path, "-o", scene.path("alone-" + name), "--local-slots", "1"])
            #expect(alone.code == 0)
            #expect(try scene.bytes("out/" + name) == scene.bytes("alone-" + name), "\(name)")
        }
    }

    @Test("of a mosaic file every extension is scanned, into a table of its own or columns hdu and extname")
    func mosaic() throws {
        let path = try scene.mosaic("m.fits", count: 3)
        let result = try Program.run(
            [
                "scan", path, "-o", scene.path("out/m.fits"), "-o", scene.path("out/m.csv"), "-o",
                scene.path("out/m.reg"),
            ]
                + ["--skip-hdu", "ccd2", "--json"])
        #expect(result.code == 0, "\(result.errors)")
        let report = try document(result)
        #expect(report.files.map(\.images.count) == [2] && report.files[0].images.map(\.hdu) == [1, 3])
        #expect(report.files[0].images.map(\.extname) == ["CCD1", "CCD3"])
        #expect(scene.outputs == ["m.1.reg", "m.3.reg", "m.csv", "m.fits"])
        let header = String(decoding: try scene.bytes("out/m.csv"), as: UTF8.self).prefix { $0 != "\n" }
        #expect(header.hasPrefix("hdu,extname,number,x,y,"))
        let tables = String(decoding: try scene.bytes("out/m.fits"), as: UTF8.self)
        #expect(tables.contains("EXTNAME = 'CCD1") && tables.contains("EXTNAME = 'CCD3"))
        #expect(!tables.contains("CCD2"))
    }

    @Test("an extension that is named is scanned alone, in one table")
    func selected() throws {
        let path = try scene.mosaic("m.fits", count: 3)
        let result = try Program.run(["scan", path + "[CCD2]", "-o", scene.path("out/m.fits")])
        #expect(result.code == 0, "\(result.errors)")
        #expect(String(decoding: try scene.bytes("out/m.fits"), as: UTF8.self).contains("EXTNAME = 'CATALOGUE"))
    }

    @Test("extensions whose catalogues would have one name are refused before any work")
    func extensionsOfOneName() throws {
        let bytes = try scene.bytes(URL(fileURLWithPath: scene.mosaic("m.fits", count: 3)).lastPathComponent)
        let text = String(decoding: bytes, as: UTF8.self).replacing("'CCD3'", with: "'CCD1'")
        let path = try scene.write(Data(text.utf8), "same.fits")
        func run(_ output: String, _ further: [String] = []) throws -> Program.Result {
            try Program.run(["scan", path, "-o", scene.path(output), "--overwrite"] + further)
        }
        for output in ["out/{extname}.fits", "out/{stem}_{extname}.csv"] {
            let clash = try run(output)
            #expect(clash.code == 2 && clash.errors.contains("HDU 1 of \(path) and HDU 3 of \(path) would both be"))
        }
        let images = try run("out/o.fits", ["--check-image", "BACKGROUND=" + scene.path("out/{extname}.fits")])
        #expect(images.code == 2)
        #expect(scene.outputs.isEmpty)
        #expect(try run("out/{extname}{ext}.csv").code == 0)
        #expect(scene.outputs == ["CCD11.csv", "CCD13.csv", "CCD22.csv"])
    }

    @Test("each image has a page and a picture of its own by the template, and the same document as if it were alone")
    func pages() throws {
        let paths = try night(["a.fits", "b.fits"])
        func words(_ folder: String) -> [String] {
            ["-o", scene.path("\(folder)/{stem}.csv"), "--report", scene.path("\(folder)/{stem}.html"), "--json"]
                + ["--preview", scene.path("\(folder)/{stem}.png"), "--no-journal"]
        }
        let both = try Program.run(["scan"] + paths + words("out"))
        #expect(both.code == 0, "\(both.errors)")
        #expect(scene.outputs == ["a.csv", "a.html", "a.png", "b.csv", "b.html", "b.png"])
        let report = try Report(both.output)
        #expect(report.v == 2 && report.files.count == 2)
        for (path, stem) in zip(paths, ["a", "b"]) {
            let alone = try Program.run(["scan", path] + words("alone"))
            #expect(alone.code == 0, "\(alone.errors)")
            for ending in ["csv", "png"] {
                #expect(try scene.bytes("out/\(stem).\(ending)") == scene.bytes("alone/\(stem).\(ending)"))
            }
            let file = try #require(report.files.first { $0.file == path })
            #expect(file.outputs.map { ($0 as NSString).pathExtension } == ["csv", "html", "png"])
            let only = try Report(alone.output)
            #expect(only.v == 2 && only.files.map(\.images) == [file.images] && only.sources == file.images[0].sources)
        }
        let again = try Program.run(["scan"] + paths + words("out") + ["--overwrite"])
        #expect(again.code == 0, "\(again.errors)")
        try FileManager.default.removeItem(atPath: scene.path("out/a.csv"))
        try FileManager.default.removeItem(atPath: scene.path("out/b.csv"))
        let refused = try Program.run(["scan"] + paths + words("out"))
        #expect(refused.code == 6 && refused.errors.contains(".html: exists already"), "\(refused.errors)")
    }

    @Test("outputs that clash or exist are refused before any work")
    func clashes() throws {
        let paths = try night(["a.fits", "b.fits"])
        func run(_ further: [String]) throws -> Program.Result { try Program.run(["scan"] + paths + further) }
        let one = try run(["-o", scene.path("out/all.csv")])
        #expect(one.code == 2 && one.errors.contains("is one name for 2 files"))
        let none = try run([])
        #expect(none.code == 2 && none.errors.contains("several images need names for their catalogues"))
        try Data().write(to: URL(fileURLWithPath: scene.path("out/b.csv")))
        let existing = try run(["-o", scene.path("out/{stem}.csv")])
        #expect(existing.code == 6 && existing.errors.contains("out/b.csv: exists already"))
        #expect(scene.outputs == ["b.csv"])
        let itself = try run(["-o", scene.path("night/"), "--overwrite"])
        #expect(itself.code == 6 && itself.errors.contains("is the image itself"))
        let pages = try run(["-o", scene.path("out/{stem}.csv"), "--report", scene.path("out/r.html")])
        #expect(
            pages.code == 2 && pages.errors.contains("r.html is one name for 2 files; use {stem}, as in --report"))
        #expect(try run(["-o", scene.path("out/{stem}.csv"), "--overwrite"]).code == 0)
    }

    @Test("a job whose files all fail exits with 5, and --fail-fast stops at the first")
    func failing() throws {
        let good = try night(["a.fits"])
        let all = try Program.run(["scan", "missing1.fits", "missing2.fits", "-o", scene.path("out/")])
        #expect(all.code == 5 && all.errors.contains("missing1.fits") && all.errors.contains("missing2.fits"))
        let first = try Program.run(["scan", "missing.fits"] + good + ["-o", scene.path("out/"), "--fail-fast"])
        #expect(first.code == 5 && scene.outputs.isEmpty, "\(first.errors)")
    }

    @Test("a list of names, a priority, and masks named after their images")
    func masks() throws {
        let paths = try night(["a.fits", "b.fits"])
        for path in paths {
            try FileManager.default.copyItem(atPath: path, toPath: path.replacing(".fits", with: ".mask"))
        }
        try paths.joined(separator: "\n").write(
            toFile: scene.path("list.txt"), atomically: true, encoding: .utf8)
        let result = try Program.run(
            ["scan", "@" + scene.path("list.txt"), "-o", scene.path("out/{stem}.csv"), "--mask", "{dir}/{stem}.mask"]
                + ["--priority", "b*", "--local-slots", "1", "--json"])
        // The masks have no pixel of 0, so that nothing is left.
        #expect(result.code == 5, "\(result.errors)")
        let names = try document(result).files.map { ($0.file as NSString).lastPathComponent }
        #expect(names.sorted() == ["a.fits", "b.fits"])
        #expect(result.errors.contains("every pixel of the image is masked"))
    }
}
