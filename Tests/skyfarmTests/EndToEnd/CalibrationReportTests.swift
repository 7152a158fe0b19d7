import Foundation
import SkyFITS
import SkyTestSupport
import Testing

/// The pages of `combine --report` and `calibrate --report`.
@Suite("reports of calibrations", .timeLimit(.minutes(10))) struct CalibrationReportTests {
    private let folder: SkyTestSupport.TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var night: String { folder.path("night/") }
    private var page: String { folder.path("r.html") }

    private func text() throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: page)), as: UTF8.self)
    }

    private func write(_ name: String, _ value: (Int, Int) -> Float) throws {
        let writer = try FITSImageWriter(path: folder.path(name), width: 40, height: 30, type: .float32)
        for row in 0..<30 { try writer.write(row: (0..<40).map { value($0, row) }) }
        try writer.finish()
    }

    private func synth(_ words: [String] = []) throws {
        let made = try Program.run(
            ["synth", "--raw", night, "--size", "300x200", "--exposures", "60", "--lights", "1", "--quiet"] + words)
        #expect(made.code == 0, "\(made.errors)")
    }

    /// Takes nine tenths of the light from a raw frame, whose samples are unsigned integers with a bias of 1000.
    private func darken(_ name: String) throws {
        let url = URL(fileURLWithPath: night + name)
        var data = try Data(contentsOf: url)
        let end = try #require(data.range(of: Data("END".utf8) + Data(repeating: 32, count: 77))).upperBound
        let first = (end + 2879) / 2880 * 2880
        for index in stride(from: first, to: first + 332 * 200 * 2, by: 2) where index + 1 < data.count {
            let sample = (Int(data[index]) << 8 | Int(data[index + 1])) ^ 0x8000
            let darkened = (1000 + (sample - 1000) / 10) ^ 0x8000
            (data[index], data[index + 1]) = (UInt8(darkened >> 8), UInt8(darkened & 0xff))
        }
        try data.write(to: url)
    }

    private func calibrate(_ words: [String]) throws -> Program.Result {
        try Program.run(["calibrate", night, "-o", folder.path("red/"), "--report", page] + words)
    }

    /// The value beside a name.
    private func figure(_ name: String, in page: String) -> String? {
        guard let start = page.range(of: "<dt>\(name)</dt><dd")?.upperBound,
            let begin = page.range(of: ">", range: start..<page.endIndex)?.upperBound,
            let end = page.range(of: "</dd>", range: begin..<page.endIndex)?.lowerBound
        else { return nil }
        return String(page[begin..<end])
    }

    @Test("the page of a flat tells its level, its dark part, its scatter and the frame whose level is strange")
    func flat() throws {
        for (index, level) in [1000, 1100, 1200, 20].enumerated() {
            // A quarter of the image lies in a shadow.
            try write("f\(index).fits") { column, row in
                Float(level) * (column < 10 ? 0.2 : 1) + Float((row + index) % 3)
            }
        }
        let words = ["combine", folder.path("f[0-9].fits"), "-o", folder.path("flat.fits"), "--scale", "median"]
        let result = try Program.run(words + ["--count", "--scatter", "--report", page])
        #expect(result.code == 0, "\(result.errors)")
        let text = try text()
        #expect(figure("Frames", in: text) == "4" && figure("Pixels", in: text) == "40 × 30")
        #expect(
            figure("Below 0.5 of the median", in: text) == "25.00 %" && text.contains("<dd class=\"strange\">25.00 %"))
        #expect(figure("Values rejected or missing", in: text) == "0 %")
        #expect(
            text.contains("4 frames, 1 with a level far from the others") && text.contains(">f3.fits</td>"))
        #expect(text.components(separatedBy: "data:image/png;base64,").count == 3 && text.contains("skyfarm combine"))
        // The bytes of a master do not depend on the page.
        let master = try Data(contentsOf: URL(fileURLWithPath: folder.path("flat.fits")))
        #expect(try Program.run(words + ["--count", "--scatter", "--overwrite"]).code == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("flat.fits"))) == master)
    }

    @Test("the page of a night has its masters, its frames with their pixels, and those that failed")
    func wholeNight() throws {
        try synth(["--cosmic-rays", "1000"])
        try darken("flat-g-001.fits")
        try Data("no FITS".utf8).write(to: URL(fileURLWithPath: night + "<b>.fits"))
        let words = [
            "--cosmic-rays", "--no-discovery", "--saturation", "auto", "--bad-pixels", night + "truth/bad-pixels.fits",
        ]
        let result = try calibrate(words)
        #expect(result.code == 23, "\(result.errors)")
        let text = try text()
        #expect(!text.contains("<b>") && text.contains("&lt;b&gt;.fits"))
        #expect(figure("Calibrated", in: text) == "2" && figure("Failed", in: text) == "1")
        #expect(figure("Masters", in: text) == "5" && figure("Pixels of cosmic rays", in: text) != "0")
        // Bias, dark, two flats, bad pixels, two frames.
        #expect(text.components(separatedBy: "data:image/png;base64,").count == 8)
        #expect(text.contains("7 frames, 1 with a level far from the others"))
        #expect(text.contains("(bad-pixels.fits), saturation, cosmic rays</p>"))
        #expect(text.contains("made: the median of 7 frames"))
        let header = try FITSImage(folder.path("red/light-g-60s-001.fits")).header
        let count = Int(try #require(header.number("CALNCR")))
        #expect(count > 0 && text.contains("<td data-title=\"Cosmic rays\" class=\"number\">\(count) ("))
        // The second run keeps the masters, and needs leave to replace the page.
        let kept = try calibrate(words + ["--local-slots", "1"])
        #expect(kept.code == 6 && kept.errors.contains("r.html: exists already"))
        #expect(try calibrate(words + ["--overwrite"]).code == 23)
        #expect(try self.text().contains("kept: the median of 7 frames"))
    }

    @Test("a page that would replace another file, or of nothing, is refused in one line")
    func refused() throws {
        try write("a.fits") { _, _ in 5 }
        try write("b.html") { _, _ in 5 }
        let combine = ["combine", folder.path("a.fits"), folder.path("b.html"), "--overwrite"]
        for (words, code, reason) in [
            (combine + ["-o", folder.path("m.fits"), "--report", folder.path("b.html")], 2, "is one of the inputs"),
            (combine + ["-o", page, "--report", page], 2, "is the file of another output"),
            (combine + ["-o", folder.path("m.fits"), "--report", folder.path("r.pdf")], 2, "use .html or .htm"),
            (combine + ["-o", folder.path("m.fits"), "--report", folder.path("no/r.html")], 6, "does not exist"),
            (
                ["calibrate", folder.path + "/", "-o", folder.path("red/"), "--dry-run", "--report", page], 2,
                "--dry-run calibrates nothing"
            ),
            (
                ["calibrate", folder.path("a.fits"), "-o", folder.path("red/"), "--report", page]
                    + ["--", "-o", folder.path("cats/"), "--report", page], 2, "is the file of another output"
            ),
            (
                ["calibrate", folder.path("a.fits"), "-o", folder.path("red/{stem}.html")]
                    + ["--report", folder.path("red/../red/a.html")], 2, "is the file of another output"
            ),
        ] {
            let result = try Program.run(words)
            #expect(result.code == code && result.errors.contains(reason), "\(result.errors)")
            #expect(result.errorLines.count <= 2, "\(result.errors)")
        }
        #expect(folder.names.sorted() == ["a.fits", "b.html"])
        // The folder of the frames is made first.
        let within = try Program.run(
            ["calibrate", folder.path("a.fits"), "-o", folder.path("red/"), "--report", folder.path("red/r.html")])
        #expect(within.code == 0, "\(within.errors)")
        #expect(FileManager.default.fileExists(atPath: folder.path("red/r.html")))
    }

    @Test("each image of a file has a row and a picture; one without a value is black")
    func images() throws {
        let scene = try Scene()
        let mosaic = try scene.mosaic("mosaic.fits", count: 2)
        let empty = try scene.image("empty.fits", axes: [30, 20], sample: .nan)
        let result = try Program.run(["calibrate", mosaic, empty, "-o", folder.path("red/"), "--report", page])
        #expect(result.code == 0, "\(result.errors)")
        let text = try text()
        #expect(text.contains(">\(mosaic), CCD1</td>") && text.contains(">\(mosaic), CCD2</td>"))
        #expect(text.contains(">600 (100.00 %)</td>") && text.contains(">no steps</p>"))
        #expect(text.components(separatedBy: "data:image/png;base64,").count == 4)
    }

    @Test("the page of many frames stays small, and says that some have no picture")
    func manyFrames() throws {
        var state: UInt32 = 1
        let writer = try FITSImageWriter(path: folder.path("f0.fits"), width: 128, height: 128, type: .float32)
        for _ in 0..<128 {
            try writer.write(
                row: (0..<128).map { _ in
                    state = state &* 1_664_525 &+ 1_013_904_223
                    return Float(state >> 20)
                })
        }
        try writer.finish()
        for index in 1..<520 {
            try FileManager.default.copyItem(atPath: folder.path("f0.fits"), toPath: folder.path("f\(index).fits"))
        }
        let frames = folder.path("f*.fits")
        let result = try Program.run(["calibrate", frames, "-o", folder.path("red/"), "--report", page, "--quiet"])
        #expect(result.code == 0, "\(result.errors)")
        let text = try text()
        #expect(text.utf8.count < 12_000_000 && text.components(separatedBy: "<td data-title=\"Frame\"").count == 521)
        let pictures = text.components(separatedBy: "data:image/png;base64,").count - 1
        #expect((380..<520).contains(pictures))
        #expect(text.contains("\(520 - pictures) of 520 images have no picture"))
    }

    @Test("a calibration that is stopped writes its page")
    func stopped() throws {
        try synth(["--calibrations", "2"])
        let node = try Node("still")
        defer { node.program.send(SIGCONT) }
        node.program.send(SIGSTOP)
        let program = try Program(
            ["calibrate", night, "-o", folder.path("red/"), "--report", page, "--cosmic-rays", "--progress", "json"]
                + ["--no-discovery", "--node", node.address, "--local-slots", "0", "--wait", "60"])
        try program.waitForErrors(#""calibrate""#)
        program.send(SIGINT)
        #expect(try program.finish().code == 130)
        let text = try text()
        #expect(
            figure("Calibrated", in: text) == "0" && figure("Failed", in: text) == "2" && text.contains(">stopped</td>")
        )
    }
}
