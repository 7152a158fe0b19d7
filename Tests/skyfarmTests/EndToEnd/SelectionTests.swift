import Foundation
import SkyFITS
import Testing

/// Which of the inputs are scanned: by the cards of their headers, at any depth of folders, and by what they hold.
@Suite("inputs as nights are", .serialized, .timeLimit(.minutes(10))) struct SelectionTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
        for folder in ["night/sub/deep", "night/empty", "empty"] {
            try FileManager.default.createDirectory(atPath: scene.path(folder), withIntermediateDirectories: true)
        }
        try image("night/g.fits", ["IMAGETYP= 'LIGHT   '", "FILTER  = 'g'", "EXPTIME = 30.0"])
        try image("night/sub/r.fits", ["IMAGETYP= 'LIGHT'", "FILTER  = 'r'", "EXPTIME = '60 '"])
        try image("night/sub/deep/i.fits", ["IMAGETYP= 'LIGHT'", "FILTER  = 'i'", "EXPTIME = 60"])
        try image("night/sub/dark.fits", ["IMAGETYP= 'DARK'", "EXPTIME = 60"])
        try image("night/sub/bare.fits", ["OBJECT  = 'unknown'"])
    }

    private func image(_ name: String, _ cards: [String]) throws {
        var samples = (0..<64 * 48).map { (place: Int) -> Float in Float(place * 7919 % 101) }
        samples[30 * 64 + 20] = 9000
        _ = try scene.image(name, axes: [64, 48], samples: samples, cards: cards)
    }

    private struct Document: Decodable {
        struct LeftOut: Decodable, Equatable {
            var file: String
            var cause: String
            var reason: String
        }

        struct File: Decodable { var file: String }

        var files: [File]
        var done: Int
        var resumed: Int
        var skipped: Int
        var failed: Int
        var leftOut: Int
        var filesLeftOut: [LeftOut]
        var merged: String?
    }

    private func scan(_ words: [String], code: Int32 = 0) throws -> (Document, errors: String) {
        let result = try run(words + ["--json"])
        #expect(result.code == code, "\(result.errors)")
        return (try JSONDecoder().decode(Document.self, from: Data(result.output.utf8)), result.errors)
    }

    private func run(_ words: [String]) throws -> Program.Result {
        try Program.run(
            ["scan", "--no-discovery"] + words, environment: ["XDG_STATE_HOME": scene.path("state")])
    }

    private func names(_ document: Document) -> [String] {
        document.files.map { ($0.file as NSString).lastPathComponent }.sorted()
    }

    private let lights = "IMAGETYP = 'LIGHT' and FILTER in ('g','r') and EXPTIME >= 30"
    private var output: [String] { ["-o", scene.path("out/")] }

    @Test("--recursive takes folders at any depth, and --where the images whose headers meet the condition")
    func selected() throws {
        let words = ["--recursive", scene.path("night"), "--where", lights] + output
        let (document, errors) = try scan(words)
        #expect(names(document) == ["g.fits", "r.fits"] && document.failed == 0)
        #expect(scene.outputs == ["g.fits", "r.fits"])
        #expect(document.leftOut == 3)
        #expect(document.filesLeftOut.map(\.cause).sorted() == ["card", "condition", "condition"])
        let reasons = Set(document.filesLeftOut.map(\.reason))
        #expect(
            reasons == [
                "IMAGETYP is 'DARK'", "FILTER is 'i'", "IMAGETYP is missing, FILTER is missing, EXPTIME is missing",
            ])
        #expect(
            errors.contains("2 files scanned, 3 left out by --where (1 for want of a card that it names)"), "\(errors)")
        // The same command opens nothing again, and counts the same.
        let (again, _) = try scan(words)
        #expect(again.resumed == 2 && again.leftOut == 3 && again.filesLeftOut.count == 3)
        let events = try run(words + ["--progress", "json"]).errors
        for reason in reasons { #expect(events.contains("\"leftOut\":\"\(reason)\""), "\(events)") }
        // Another condition is another job: the catalogues of images that it leaves out are in nobody's way.
        let (other, _) = try scan(["--recursive", scene.path("night"), "--where", "FILTER = 'i'"] + output)
        #expect(names(other) == ["i.fits"] && other.leftOut == 4)
    }

    @Test("a file that was scanned and then left out is scanned again once it meets the condition, without --overwrite")
    func changed() throws {
        let words = ["--recursive", scene.path("night"), "--where", lights] + output
        #expect(try names(scan(words).0) == ["g.fits", "r.fits"])
        try image("night/g.fits", ["IMAGETYP= 'DARK'", "FILTER  = 'g'", "EXPTIME = 30.0"])
        let (dark, _) = try scan(words)
        #expect(names(dark) == ["r.fits"] && dark.leftOut == 4)
        // The next run has nothing to decide.
        #expect(try scan(words).0.leftOut == 4)
        try image("night/g.fits", ["IMAGETYP= 'LIGHT'", "FILTER  = 'g'", "EXPTIME = 45.0"])
        let (light, errors) = try scan(words)
        #expect(names(light) == ["g.fits", "r.fits"] && light.resumed == 1 && light.failed == 0, "\(errors)")
    }

    @Test("** stands for any folders, also none")
    func pattern() throws {
        let (document, _) = try scan([scene.path("night/**/[gri].fits")] + output)
        #expect(names(document) == ["g.fits", "i.fits", "r.fits"])
    }

    @Test("--dry-run prints what is left out and why, and opens no output")
    func dryRun() throws {
        let words = ["--recursive", scene.path("night"), scene.path("empty"), "--where", lights, "--dry-run"] + output
        let result = try run(words)
        #expect(result.code == 0, "\(result.errors)")
        let (night, out) = (scene.path("night"), scene.path("out"))
        #expect(
            result.output.split(separator: "\n") == [
                "\(night)/g.fits -> \(out)/g.fits",
                "\(night)/sub/bare.fits: left out by --where: IMAGETYP is missing, FILTER is missing, EXPTIME is missing",
                "\(night)/sub/dark.fits: left out by --where: IMAGETYP is 'DARK'",
                "\(night)/sub/deep/i.fits: left out by --where: FILTER is 'i'",
                "\(night)/sub/r.fits -> \(out)/r.fits",
            ])
        #expect(result.errors.contains("2 files to scan, 3 left out by --where"))
        #expect(
            result.errors.contains("\(scene.path("empty")): left out: neither the folder nor one below it has a file"))
        #expect(scene.outputs.isEmpty)
        let none = try run(
            [scene.path("night/g.fits"), scene.path("night/sub"), "--where", "FILTER = 'z'", "--dry-run"] + output)
        #expect(none.code == 5, "\(none.errors)")
    }

    @Test("a faulty condition is refused with a caret before any file is looked at")
    func faulty() throws {
        let result = try run(["/nonexistent/*.fits", "--where", "FILTER = g and EXPTIME > 3"] + output)
        #expect(result.code == 2)
        #expect(
            result.errorLines == [
                "skyfarm: --where: character 10: a string needs quotes: 'g'", "  FILTER = g and EXPTIME > 3",
                "           ^",
            ])
        let submitted = try Program.run(["submit", "x.fits", "-o", "x.csv", "--where", "FILTER ="])
        #expect(submitted.code == 2 && submitted.errors.contains("character 9: expected a value"))
    }

    @Test("empty folders, tables and spectra are left out, counted, and errors only with --strict")
    func leftOut() throws {
        let table = try scene.table("night/stars.fits")
        let spectrum = try scene.image("night/spectrum.fits", axes: [500], sample: 1)
        let words = [scene.path("night"), scene.path("empty")] + output
        let (document, errors) = try scan(words)
        #expect(names(document) == ["g.fits"] && document.failed == 0 && document.leftOut == 3)
        #expect(document.filesLeftOut.map(\.cause).sorted() == ["folder", "no-image", "no-image"])
        let reasons = document.filesLeftOut.map(\.reason)
        #expect(reasons.contains("\(table): holds no 2-D image; it has HDU 0: no data; HDU 1 (STARS): binary table"))
        #expect(reasons.contains("\(spectrum): holds no 2-D image; it has HDU 0: 1-D image 500"))
        #expect(errors.contains("1 file scanned, 2 left out without an image, 1 folder left out: 1 image"), "\(errors)")
        let strict = try scan([scene.path("night"), "--strict"] + output + ["--overwrite"], code: 23).0
        #expect(strict.failed == 2 && strict.leftOut == 0 && strict.done == 1)
        let folder = try run(words + ["--strict", "--overwrite"])
        #expect(folder.code == 5 && folder.errors.contains("\(scene.path("empty")): the folder has no file"))
        // What holds a cube, or is damaged, may hold what is wanted: it fails.
        _ = try scene.image("night/cube.fits", axes: [9, 9, 5], sample: 1)
        let bytes = try scene.bytes("night/stars.fits")
        _ = try scene.write(bytes.dropLast(2880), "night/short.fits")
        let failed = try scan([scene.path("night")] + output + ["--overwrite"], code: 23).0
        #expect(failed.failed == 2 && failed.leftOut == 2)
    }

    @Test("if all is left out there was nothing to do: exit code 5, and why")
    func nothing() throws {
        let table = try scene.table("stars.fits")
        let all = try scan([table, scene.path("empty")] + output, code: 5)
        #expect(all.0.leftOut == 2 && all.0.failed == 0)
        #expect(all.errors.contains("nothing to scan: 1 left out without an image, 1 folder left out"), "\(all.errors)")
        let again = try scan([table, scene.path("empty")] + output, code: 5)
        #expect(again.0.leftOut == 2)
        let condition = try scan([scene.path("night"), "--recursive", "--where", "FILTR = 'g'"] + output, code: 5)
        #expect(condition.errors.contains("5 left out by --where (5 for want of a card that it names); for instance"))
        #expect(condition.errors.contains("g.fits: left out by --where: FILTR is missing"))
        let sole = try scan(
            [scene.path("night/g.fits"), "--where", "FILTER = 'r'", "-o", scene.path("out/x.fits")], code: 5)
        #expect(sole.0.leftOut == 1 && sole.errors.contains("g.fits: left out by --where: FILTER is 'g'"))
        #expect(try run([scene.path("empty")] + output).code == 5)
        #expect(scene.outputs.isEmpty)
    }

    @Test("one image that meets the condition is scanned as without it; skyfarm sex takes the condition as well")
    func sole() throws {
        let image = scene.path("night/g.fits")
        #expect(try run([image, "-o", scene.path("out/a.fits")]).code == 0)
        #expect(try run([image, "-o", scene.path("out/b.fits"), "--where", "FILTER = 'g'"]).code == 0)
        #expect(try scene.bytes("out/a.fits") == scene.bytes("out/b.fits"))
        let columns = try scene.write("NUMBER\nX_IMAGE\n".utf8, "columns.param")
        func sex(_ condition: String) throws -> Program.Result {
            try Program.run([
                "sex", image, "--where=\(condition)", "-CATALOG_NAME", scene.path("out/c.cat"), "-PARAMETERS_NAME",
                columns, "--no-discovery", "--no-journal",
            ])
        }
        #expect(try sex("FILTER = 'g'").code == 0)
        #expect(scene.outputs.contains("c.cat"))
        let other = try sex("FILTER = 'r'")
        #expect(other.code == 5 && other.errors.contains("FILTER is 'g'"), "\(other.errors)")
    }

    @Test("of a file of several images those that meet the condition are scanned, with the cards of the primary header")
    func mosaic() throws {
        let path = try scene.mosaic("m.fits", count: 3)
        let result = try scan([path, "--where", "EXTNAME like 'CCD[13]' or EXTNAME in ('CCD1', 'CCD3')"] + output)
        #expect(result.0.leftOut == 0)
        let tables = String(decoding: try scene.bytes("out/m.fits"), as: UTF8.self)
        #expect(tables.contains("EXTNAME = 'CCD1") && tables.contains("EXTNAME = 'CCD3") && !tables.contains("CCD2"))
        let none = try scan([path, "--where", "EXTNAME = 'CCD9'", "-o", scene.path("out/n.fits")], code: 5).0
        #expect(none.filesLeftOut.map(\.reason) == ["EXTNAME is 'CCD1', as its 2 other images"])
    }

    @Test("--merged after a finished night reads the catalogues that are there, of this job or of another")
    func mergedLater() throws {
        let night = ["--recursive", scene.path("night")]
        #expect(try run(night + output).code == 0)
        let before = try inodes()
        let (later, _) = try scan(night + output + ["--merged", scene.path("all.fits")])
        #expect(later.resumed == 5 && later.merged == scene.path("all.fits"))
        // Other inputs are another job, which has no record of the catalogues: their headers say what they are of.
        let some = [scene.path("night/g.fits"), scene.path("night/sub")]
        let (other, errors) = try scan(some + output + ["--merged", scene.path("some.csv")])
        #expect(other.skipped == 4 && other.merged == scene.path("some.csv"), "\(errors)")
        #expect(try inodes() == before)
        // One that is of other parameters is neither read nor replaced.
        let strange = try scan(some + output + ["--threshold", "7", "--merged", scene.path("other.csv")], code: 5)
        #expect(strange.errors.contains("g.fits: exists already, of other pixels or parameters"), "\(strange.errors)")
        // A table that the job did not write is not replaced.
        _ = try scene.write(Array("mine".utf8), "mine.fits")
        #expect(try run(night + output + ["--merged", scene.path("mine.fits")]).code == 6)
        #expect(try scene.bytes("mine.fits") == Data("mine".utf8))
    }

    private func inodes() throws -> [String: UInt64] {
        try Dictionary(
            uniqueKeysWithValues: scene.outputs.map { name in
                let attributes = try FileManager.default.attributesOfItem(atPath: scene.path("out/\(name)"))
                return (name, try #require((attributes[.systemFileNumber] as? NSNumber)?.uint64Value))
            })
    }

    @Test("the merged table says when, through which filter and how long each image was exposed")
    func exposures() throws {
        try image("night/dated.fits", ["DATE-OBS= '2000-01-01T12:00:00'", "FILTER  = 'V'", "EXPTIME = 1.5"])
        let files = ["night/dated.fits", "night/sub/bare.fits"].map(scene.path)
        #expect(try run(files + output + ["--merged", scene.path("all.csv")]).code == 0)
        let lines = String(decoding: try scene.bytes("all.csv"), as: UTF8.self).split(separator: "\n")
        #expect(lines[0].hasPrefix("image,hdu,date_obs,mjd,filter,exptime,number,x,y,"))
        let rows = lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false).prefix(6) }
        #expect(rows.contains { $0.dropFirst(1) == ["0", "2000-01-01T12:00:00", "51544.5", "V", "1.5"] })
        #expect(rows.contains { $0.dropFirst(1) == ["0", "\"\"", "nan", "\"\"", "nan"] })
    }
}
