import skyfarm
import CommandLineKit
import Foundation
import SkyFITS
import Testing

import ImageScanning

@Suite("Inputs of a scan") struct InputListTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
        try FileManager.default.createDirectory(atPath: scene.path("night"), withIntermediateDirectories: true)
        for name in ["b.fits", "a.FIT", "c.fits.fz", "d.fts.gz", "notes.txt", ".hidden.fits", "x[1].fits"] {
            try Data().write(to: URL(fileURLWithPath: scene.path("night/" + name)))
        }
    }

    private func names(_ arguments: [String], input: String = "") throws -> [String] {
        try InputList(arguments, standardInput: { input }).files.map {
            $0.name.replacing(scene.path("night/"), with: "")
        }
    }

    @Test("a name in a list that is not UTF-8 does not keep the others from being scanned")
    func notUTF8() throws {
        let list = try scene.write(
            Array("a.fits\n".utf8) + [0x6d, 0xfc, 0x6c, 10] + Array("b.fits\n".utf8), "list.txt")
        let files = try InputList(["@" + list], standardInput: { "" }).files
        #expect(files.map(\.path) == ["a.fits", "m\u{fffd}l", "b.fits"])
        #expect(throws: ImageError.self) { try FITSImage("m\u{fffd}l") }
    }

    @Test("a folder stands for its FITS files, in alphabetical order")
    func folder() throws {
        let expected = ["a.FIT", "b.fits", "c.fits.fz", "d.fts.gz", "x[1].fits"]
        #expect(try names([scene.path("night")]) == expected)
        #expect(try names([scene.path("night/")]) == expected)
    }

    @Test("a pattern that the shell did not expand is expanded; brackets select an HDU of each match")
    func pattern() throws {
        #expect(try names([scene.path("night/[bc].fits*")]) == ["b.fits", "c.fits.fz"])
        #expect(try names([scene.path("night/*.fits[SCI,2]")]) == ["b.fits[SCI,2]", "x[1].fits[SCI,2]"])
        #expect(throws: CommandError(.input, "\(scene.path("none*.fits")): no file matches")) {
            try names([scene.path("none*.fits")])
        }
    }

    @Test("a list has a name per line, with comments and empty lines")
    func list() throws {
        let list = "# night\n\n\(scene.path("night/b.fits"))\n  \(scene.path("night/c.fits.fz"))[1]  \r\n"
        try list.write(toFile: scene.path("list.txt"), atomically: true, encoding: .utf8)
        #expect(try names(["@" + scene.path("list.txt")]) == ["b.fits", "c.fits.fz[1]"])
        #expect(try names(["-"], input: list) == ["b.fits", "c.fits.fz[1]"])
        #expect(throws: CommandError(.input, "standard input: the list names no file")) {
            try names(["-"], input: "#\n")
        }
        #expect(throws: CommandError.self) { try names(["@/nonexistent"]) }
    }

    @Test("a file is scanned once, and one that is missing is left to its scan")
    func repetition() throws {
        let path = scene.path("night/b.fits")
        let list = try InputList([path, path, scene.path("night"), "missing.fits[2]"], standardInput: { "" })
        #expect(list.files.count == 6 && list.files.last?.name == "missing.fits[2]" && list.isOpenEnded)
        #expect(try !InputList([path], standardInput: { "" }).isOpenEnded)
        #expect(try names([scene.path("night/x[1].fits")]) == ["x[1].fits"])
    }

    @Test("files that match a pattern of --priority come first, in the order of the patterns; the others keep theirs")
    func priority() throws {
        let files = ["night/a.fits", "night/b.fits", "night/c.fits", "night/d.fits"].map {
            InputList.File(path: $0, selector: nil)
        }
        let parsed = try CommandLineParser(Skyfarm.program).parse(
            ["scan", "x.fits", "-o", "out/", "--priority", "d*", "--priority", "b.fits"])
        guard case .run(_, let arguments) = parsed else {
            Issue.record("no command was parsed")
            return
        }
        let options = try ScanCommand.Options(arguments)
        #expect(
            options.images.ordered(files).map { String($0.path.dropFirst(6)) } == [
                "d.fits", "b.fits", "a.fits", "c.fits",
            ])
    }

    @Test(
        "the stem of a name is without the endings of FITS files",
        arguments: [
            ("a.fits", "a"), ("a.b.fits.fz", "a.b"), ("A.FIT.GZ", "A"), ("a.fts", "a"), ("a.txt", "a.txt"),
            (".fits", ".fits"), ("a.gz", "a.gz"),
        ])
    func stem(name: String, stem: String) { #expect(InputList.stem(of: name) == stem) }
}

@Suite("Templates of outputs") struct OutputTemplateTests {
    let image = ImageExtension(number: 3, name: "CCD 3/a")

    @Test(
        "fields are replaced by the parts of the image's name",
        arguments: [
            ("cats/{stem}.fits", "cats/a.b.fits"), ("{dir}/{stem}.{ext}.csv", "night/1/a.b.3.csv"),
            ("{stem}_{extname}.reg", "a.b_CCD_3_a.reg"), ("out/", "out/a.b.fits"), ("one.fits", "one.fits"),
        ])
    func names(text: String, name: String) throws {
        #expect(try OutputTemplate(text).name(file: "night/1/a.b.fits.fz", image: image) == name)
    }

    @Test("a folder that exists needs no slash; a file without a folder is in the working folder")
    func folders() throws {
        let scene = try Scene()
        #expect(try OutputTemplate(scene.path("out")).name(file: "a.fits") == scene.path("out") + "/a.fits")
        #expect(try OutputTemplate("{dir}/{stem}.csv").name(file: "a.fits") == "./a.csv")
    }

    @Test("a field that does not exist, and an open brace, are refused")
    func invalid() {
        #expect(throws: UsageError("--output: unknown field {name}; use {dir}, {stem}, {ext}, {extname}")) {
            try OutputTemplate("{name}.fits")
        }
        #expect(throws: UsageError("--output: \"a{stem\" has a { without a }")) { try OutputTemplate("a{stem") }
    }

    @Test("an EXTNAME brings no control characters into a name")
    func shown() throws {
        let image = ImageExtension(number: 1, name: "A\u{1b}]0;x\u{7}\u{202e}b", version: 1)
        let name = try OutputTemplate("{stem}-{extname}.csv").name(file: "a.fits", image: image)
        #expect(name == "a-A_]0;x__b.csv")
    }
}
