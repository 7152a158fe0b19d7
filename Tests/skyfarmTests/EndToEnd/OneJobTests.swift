import CommandLineKit
import Foundation
import Testing

/// What a job of one image and a job of many must have in common.
@Suite("one job, of one image or of many", .serialized, .timeLimit(.minutes(10))) struct OneJobTests {
    let scene: Scene

    init() throws { scene = try Scene() }

    private func run(_ words: [String]) throws -> Program.Result {
        try Program.run(["scan"] + words + ["--no-journal", "--no-discovery"])
    }

    @Test("no output takes the place of an input, under whatever name and with a folder of pages as well")
    func inputs() throws {
        let image = try scene.sky("a.fits", size: "300")
        let weights = try scene.image("w.fits", axes: [300, 300], sample: 1)
        try FileManager.default.createSymbolicLink(atPath: scene.path("link.fits"), withDestinationPath: image)
        let pages = ["--report", scene.path("out/pages/")]
        for (output, words, kind) in [
            (weights, [], "weight map"), (weights, pages, "weight map"), (image, pages, "image"),
            (scene.path("link.fits"), pages, "image"),
        ] {
            let before = try Data(contentsOf: URL(filePath: output))
            let result = try run([image, "--weight", weights, "-o", output, "--overwrite"] + words)
            #expect(result.code == 6 && result.errors.contains("is the \(kind) itself"), "\(result.errors)")
            #expect(try Data(contentsOf: URL(filePath: output)) == before)
        }
        let other = try scene.sky("b.fits", size: "300")
        let both = try run([image, other, "-o", scene.path("{stem}.fits"), "--overwrite"])
        #expect(both.code == 6 && both.errors.contains("is the image itself"), "\(both.errors)")
    }

    @Test("names of files may have braces, and pages the fields of images")
    func names() throws {
        let image = try scene.sky("a{b}.fits", size: "300")
        #expect(try run([image, "-o", scene.path("out/")]).code == 0)
        let pages = ["--report", scene.path("out/{stem}_{ext}.html"), "--preview", scene.path("out/{stem}.png")]
        let result = try run([image, "-o", scene.path("out/c.csv")] + pages)
        #expect(result.code == 0, "\(result.errors)")
        #expect(scene.outputs == ["a{b}.fits", "a{b}.png", "a{b}_0.html", "c.csv"])
    }

    @Test("a file of many images has more outputs than the process may have open files")
    func manyOutputs() throws {
        let count = 90
        let mosaic = try scene.mosaic("mosaic.fits", count: count)
        let outputs = ["csv", "vot"].flatMap { ["-o", scene.path("out/{ext}.\($0)")] }
        let words =
            ["scan", mosaic] + outputs + ["--report", scene.path("out/{ext}.html"), "--no-journal", "--no-discovery"]
        let result = try Program.run(
            path: "/bin/sh", ["-c", "ulimit -n 180; exec \"$@\"", "sh", Program.path] + words)
        #expect(result.code == 0, "\(result.errors)")
        #expect(scene.outputs.count == 3 * count)
    }

    @Test("pages that are asked for later are made, and a page that a template names is found")
    func laterPages() throws {
        let images = try ["a", "b"].map { try scene.sky("\($0).fits", size: "300") }
        let environment = ["XDG_STATE_HOME": scene.path("state")]
        func scan(_ words: [String]) throws -> Program.Result {
            try Program.run(
                ["scan"] + images + ["-o", scene.path("out/"), "--no-discovery"] + words, environment: environment)
        }
        #expect(try scan([]).code == 0)
        let pages = try scan(["--report", scene.path("out/{stem}.html"), "--overwrite"])
        #expect(pages.code == 0, "\(pages.errors)")
        #expect(scene.outputs == ["a.fits", "a.html", "b.fits", "b.html"])
        let viewed = try Program.run(["view"], environment: environment.merging(["BROWSER": "echo"]) { $1 })
        #expect((viewed.output + viewed.errors).contains(".html"), "\(viewed.errors)")
        // Those of files that are left out stay.
        let more = try scene.sky("c.fits", size: "300")
        let skipped = try run(
            images + [more, "-o", scene.path("out/"), "--skip-existing", "--report", scene.path("out/{stem}.html")])
        #expect(skipped.code == 0, "\(skipped.errors)")
        #expect(scene.outputs == ["a.fits", "a.html", "b.fits", "b.html", "c.fits", "c.html"])
    }

    @Test(
        "an image that cannot be scanned has a document, alone and among others; one that --skip-hdu leaves out is an error"
    )
    func failures() throws {
        let bad = try scene.write(Data("no image".utf8), "bad.fits")
        let good = try scene.sky("good.fits", size: "300")
        for images in [[bad], [bad, good]] {
            let result = try run(images + ["-o", scene.path("out/"), "--overwrite", "--json", "--progress", "json"])
            #expect(result.code == (images.count == 1 ? 5 : 23), "\(result.errors)")
            let report = try Report(result.output)
            #expect(report.v == 2 && report.files.first { $0.file == bad }?.outputs == [])
            #expect(result.errors.contains(#""event":"file-ended""#))
        }
        let none = try run([good, "-o", scene.path("out/n.csv"), "--skip-hdu", "0"])
        #expect(none.code == 5 && none.errors.contains("--skip-hdu leaves no image"), "\(none.errors)")
    }
}
