import Foundation
import SkyFITS
import Testing

/// Raw frames that are calibrated as they are scanned, against two commands with files in between.
@Suite("a scan of raw frames", .serialized, .timeLimit(.minutes(10))) struct RawScanTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
        for name in ["a.fits", "b.fits", "c.fits"] { try raw("night/\(name)") }
        let flat = { (x: Int, y: Int) in Float(1 + 0.2 * Double((x * 13 + y * 7) % 100 - 50) / 100) }
        try write("bias.fits") { x, y in Float((x * 5 + y * 3) % 7) }
        try write("dark.fits", [HeaderEntry("EXPTIME", .real(60))]) { x, _ in x % 50 == 0 ? 9 : 1 }
        try write("flat.fits") { x, y in flat(x, y) }
        try write("bad.fits") { x, y in x == 100 && y > 50 ? 1 : 0 }
    }

    private let width = 480
    private let height = 400

    private func write(
        _ name: String, type: FITSImageWriter.SampleType = .float32, _ header: [HeaderEntry] = [],
        width: Int? = nil, _ value: (Int, Int) -> Float
    ) throws {
        let width = width ?? self.width
        let writer = try FITSImageWriter(
            path: scene.path(name), width: width, height: height, type: type, header: header, overwrite: true)
        for y in 0..<height { try writer.write(row: (0..<width).map { value($0, y) }) }
        try writer.finish()
    }

    /// A raw frame of a synthetic sky: level and overscan of its rows, and some cosmic rays.
    private func raw(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: (scene.path(name) as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        let seed = Int(name.utf8.map { Int($0) }.reduce(0, +) % 100)
        let sky = try FITSImage(
            try scene.sky("sky.fits", size: "440x400", ["--seed", "\(seed)", "--density", "2000", "--overwrite"]))
        var pixels = [Float](repeating: 0, count: 440 * height)
        try pixels.withUnsafeMutableBufferPointer { try sky.read(rows: 0..<height, into: $0) }
        let cards = [
            HeaderEntry("EXPTIME", .real(30)), HeaderEntry("CRPIX1", .real(200)), HeaderEntry("CRPIX2", .real(200)),
            HeaderEntry("CRVAL1", .real(150)), HeaderEntry("CRVAL2", .real(2)),
            HeaderEntry("CTYPE1", .text("RA---TAN")), HeaderEntry("CTYPE2", .text("DEC--TAN")),
            HeaderEntry("CDELT1", .real(-0.0002)), HeaderEntry("CDELT2", .real(0.0002)),
            HeaderEntry("BIASSEC", .text("[445:480,1:400]")), HeaderEntry("TRIMSEC", .text("[5:440,3:398]")),
        ]
        try write(name, type: .uint16, cards) { x, y in
            let level = Float(1000 + y % 9)
            if x >= 440 { return level + Float(x % 3) }
            let ray: Float = (x * 31 + y * 17 + seed) % 4001 == 0 ? 3000 : 0
            return level + max(0, pixels[y * 440 + x]) + Float((x * 5 + y * 3) % 7) + ray
        }
    }

    private var steps: [String] {
        [
            "--bias", scene.path("bias.fits"), "--dark", scene.path("dark.fits"), "--flat", scene.path("flat.fits"),
            "--overscan", "auto", "--trim", "auto", "--bad-pixels", scene.path("bad.fits"), "--cosmic-rays",
            "--read-noise", "4",
        ]
    }

    private let formats = ["csv", "reg", "fits"]

    private func outputs(_ folder: String) -> [String] {
        formats.flatMap { ["-o", scene.path("\(folder)/{stem}.\($0)")] }
    }

    private var environment: [String: String] { ["XDG_STATE_HOME": scene.path("state")] }

    private func run(_ words: [String]) throws {
        let result = try Program.run(words, environment: environment)
        #expect(result.code == 0, "\(words): \(result.errors)")
    }

    /// The catalogues of frames that were calibrated before, and the header cards that tell their images apart.
    private func expected(_ steps: [String]? = nil) throws {
        // The frames of a folder would be sorted by their headers.
        let frames = ["a", "b", "c"].map { scene.path("night/\($0).fits") }
        try run(["calibrate"] + frames + ["-o", scene.path("red/")] + (steps ?? self.steps))
        try run(["scan", scene.path("red"), "--no-journal", "--local-slots", "1"] + outputs("two"))
    }

    /// The differences of the catalogues in `folder` from those of two commands.
    private func differences(_ folder: String) throws -> [String] {
        try ["a", "b", "c"].flatMap { stem in
            try formats.compactMap { format in
                let (own, other) = (
                    try scene.bytes("\(folder)/\(stem).\(format)"), try scene.bytes("two/\(stem).\(format)")
                )
                guard format == "fits" else { return own == other ? nil : "\(stem).\(format)" }
                return Self.cards(own) == Self.cards(other) ? nil : "\(stem).\(format)"
            }
        }
    }

    /// The blocks of 80 bytes of a catalogue, without the cards that name the image.
    private static func cards(_ bytes: Data) -> [Data] {
        stride(from: 0, to: bytes.count, by: 80).map { bytes[$0..<min($0 + 80, bytes.count)] }.filter { card in
            // A long name is continued, and the header is filled with blanks.
            !["IMAGE   =", "CONTINUE", "IMGXXH3 =", "RAWXXH3 ="].contains { card.starts(with: Data($0.utf8)) }
                && !card.allSatisfy { $0 == UInt8(ascii: " ") }
        }.map { Data($0) }
    }

    @Test("has the bytes of calibrate and scan, for any slots, bands and steps")
    func equal() throws {
        try expected()
        let scan = ["scan", scene.path("night"), "--no-journal"]
        for (index, further) in [
            ["--local-slots", "1"], ["--local-slots", "4"], ["--local-slots", "2", "--band", "64"],
            ["--local-slots", "3", "--band", "128"],
        ].enumerated() {
            try run(scan + steps + further + outputs("one\(index)"))
            #expect(try differences("one\(index)") == [])
        }
        // The masters are in the header of the catalogue.
        let header = try FITSHeader(bytes: Array(scene.bytes("one0/a.fits").dropFirst(2880).prefix(28_800)))
        #expect(header.text("CALBIAS") == "bias.fits" && header.text("CALTRIM") == "[5:440,3:398]")
        #expect(header.text("RAWXXH3") != nil && header.text("IMGXXH3") == nil && header.number("IMGWIDTH") == 436)
        for (index, part) in [["--bias", scene.path("bias.fits")], ["--trim", "auto"], ["--cosmic-rays", "mask"]]
            .enumerated()
        {
            try FileManager.default.removeItem(atPath: scene.path("red"))
            try FileManager.default.removeItem(atPath: scene.path("two"))
            try expected(part)
            try run(scan + part + ["--band", "128"] + outputs("part\(index)"))
            #expect(try differences("part\(index)") == [])
        }
    }

    @Test("has the same bytes with nodes, one of which is killed, and after a kill of the scan")
    func nodes() throws {
        try expected()
        let nodes = try [Node("one"), Node("two"), Node("three")]
        let scan = ["scan", scene.path("night")] + steps + nodes.flatMap { ["--node", $0.address] }
        try run(scan + ["--no-journal", "--local-slots", "0", "--band", "64"] + outputs("nodes"))
        #expect(try differences("nodes") == [])
        let interrupted = InterruptedScan(words: scan, environment: environment)
        try interrupted.lose(nodes[1], outputs("loss"))
        #expect(try differences("loss") == [])
        try interrupted.killAndRepeat(outputs("killed"))
        #expect(try differences("killed") == [])
    }

    @Test("sends masters once, and raw samples to the node that has them")
    func masters() throws {
        for copy in 0..<9 {
            try FileManager.default.copyItem(
                atPath: scene.path("night/a.fits"), toPath: scene.path("night/d\(copy).fits"))
        }
        try expected()
        let node = try Node("one")
        let result = try Program.run(
            ["scan", scene.path("night"), "--no-journal", "--local-slots", "0", "--node", node.address, "--json"]
                + steps
                + outputs("sent"), environment: environment)
        #expect(result.code == 0, "\(result.errors)")
        #expect(try differences("sent") == [])
        struct Document: Decodable {
            struct Traffic: Decodable {
                var tasksSent: Int
                var bytesSent: Int
            }
            var pixelTraffic: Traffic
        }
        let traffic = try JSONDecoder().decode(Document.self, from: Data(result.output.utf8)).pixelTraffic
        // Twelve frames and four masters; whole rows of raw samples have 2 bytes per pixel.
        #expect(traffic.tasksSent == 16 && traffic.bytesSent < 12 * 436 * 396 * 4, "\(traffic)")
    }

    @Test("is another job if a master has changed, and resumes if none has")
    func journal() throws {
        let one = ["scan", scene.path("night/a.fits"), "--flat", scene.path("flat.fits"), "--json"]
        func scan(_ name: String) throws -> Program.Result {
            try Program.run(one + ["-o", scene.path("out/\(name).csv")], environment: environment)
        }
        let many = [
            "scan", scene.path("night"), "--flat", scene.path("flat.fits"), "-o", scene.path("cats/"), "--json",
        ]
        #expect(try scan("first").code == 0)
        #expect(try Program.run(many, environment: environment).code == 0)
        let again = try Program.run(many, environment: environment)
        #expect(again.code == 0 && again.output.contains("\"resumed\" : 3"), "\(again.output)")
        try write("flat.fits") { x, y in 1 + Float((x + y) % 10) / 50 }
        #expect(try scan("second").code == 0)
        #expect(try scene.bytes("out/first.csv") != scene.bytes("out/second.csv"))
        let changed = try Program.run(many + ["--overwrite"], environment: environment)
        #expect(changed.code == 0 && changed.output.contains("\"resumed\" : 0"), "\(changed.output)")
        // A catalogue of the frame as it is, or with other masters, is not current.
        let skip = [
            "scan", scene.path("night"), "-o", scene.path("cats/"), "--skip-existing", "--no-journal", "--json",
        ]
        let current = try Program.run(skip + ["--flat", scene.path("flat.fits")])
        #expect(current.output.contains("\"skipped\" : 3"), "\(current.output)\(current.errors)")
        let plain = try Program.run(skip)
        #expect(plain.output.contains("\"skipped\" : 0"), "\(plain.output)\(plain.errors)")
    }

    @Test("a frame that does not fit is named, and the others are scanned")
    func failures() throws {
        try write("night/b.fits", type: .uint16, width: 300) { _, _ in 5 }
        let result = try Program.run(
            ["scan", scene.path("night"), "--no-journal", "-o", scene.path("cats/"), "--flat", scene.path("flat.fits")])
        #expect(
            result.code == 23 && result.errors.contains("flat.fits[0]: the flat has 480 x 400 pixels, not 300 x 400"))
        #expect(result.errors.contains("night/b.fits"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scene.path("cats")).sorted() == ["a.fits", "c.fits"])
        let sole = try Program.run(
            [
                "scan", scene.path("night/b.fits"), "--no-journal", "-o", scene.path("b.csv"), "--flat",
                scene.path("flat.fits"),
            ])
        #expect(sole.code == 5 && sole.errors.contains("not 300 x 400"))
        #expect(!FileManager.default.fileExists(atPath: scene.path("b.csv")))
        let lost = try Program.run([
            "scan", scene.path("night"), "-o", scene.path("x/"), "--bias", scene.path("no.fits"),
        ])
        #expect(lost.code == 5 && lost.errors.contains("no.fits"))
        let alone = try Program.run(["scan", scene.path("night"), "-o", scene.path("x/"), "--raw-gain", "2"])
        #expect(alone.code == 2 && alone.errors.contains("--raw-gain belongs to the calibration of raw frames"))
        let detect = try Program.run(
            [
                "scan", scene.path("night/a.fits"), "-o", scene.path("x.csv"), "--trim", "auto", "--detect",
                scene.path("sky.fits"), "--columns", "NUMBER",
            ])
        #expect(detect.code == 2 && detect.errors.contains("--detect does not take raw frames"))
    }

    @Test("skyfarm sex and a watch calibrate as well")
    func others() throws {
        try expected()
        try "NUMBER\nX_IMAGE\nMAG_AUTO\n".write(toFile: scene.path("p.param"), atomically: true, encoding: .utf8)
        func sex(_ image: String, _ output: String, _ further: [String]) throws {
            try run(
                ["sex", scene.path(image), "-PARAMETERS_NAME", scene.path("p.param"), "-CATALOG_TYPE", "ASCII_HEAD"]
                    + ["-CATALOG_NAME", scene.path(output), "--no-journal"] + further)
        }
        try sex("red/a.fits", "out/two.cat", [])
        let flags = stride(from: 0, to: 14, by: 2).map { steps[$0] }
        let values =
            ["bias.fits", "dark.fits", "flat.fits"].map(scene.path) + ["auto", "auto", scene.path("bad.fits")]
        let words = zip(flags, values).map { "\($0)=\($1)" } + ["--cosmic-rays=clean", "--read-noise=4"]
        try sex("night/a.fits", "out/one.cat", words)
        #expect(try scene.bytes("out/one.cat") == scene.bytes("out/two.cat"))
        let watch = try Program(
            ["scan", "--watch", scene.path("night"), "--no-journal", "--progress", "json"] + steps + outputs("watched"),
            environment: environment)
        try watch.wait("three files") { $0.components(separatedBy: #""event":"file-ended""#).count == 4 }
        watch.send(SIGINT)
        _ = try watch.finish()
        #expect(try differences("watched") == [])
    }

    @Test("frames of calibration, and raw frames on nodes, are refused with the next command")
    func refused() throws {
        let kinds = [("bias-1.fits", "Bias Frame"), ("flat-1.fits", "master flat"), ("sky-1.fits", "LIGHT")]
        for (name, kind) in kinds {
            try FileManager.default.createDirectory(
                atPath: scene.path("kinds"), withIntermediateDirectories: true)
            try write("kinds/\(name)", [HeaderEntry("IMAGETYP", .text(kind))]) { x, y in Float(100 + (x * y) % 7) }
        }
        let words = ["-o", scene.path("cats/"), "--no-discovery", "--no-journal", "--flat", scene.path("flat.fits")]
        let mixed = try Program.run(["scan", scene.path("kinds/")] + words)
        #expect(mixed.code == 23, "\(mixed.errors)")
        for part in [
            "is a bias frame, as its header tells; name the light frames", "is a master flat frame",
            "sorted by skyfarm calibrate FOLDER/ -o REDUCED/ -- -o CATALOGUES/",
        ] { #expect(mixed.errors.contains(part), "\(part): \(mixed.errors)") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.path("cats")) == ["sky-1.fits"])
        let remote = try Program.run(["scan", "alpha:/data/night/a.fits"] + words)
        let next =
            "on alpha run skyfarm calibrate /data/night/a.fits -o FOLDER/ with these masters, then scan "
            + "alpha:/FOLDER/*"
        #expect(remote.code == 2 && remote.errors.contains(next), "\(remote.errors)")
    }

    @Test("what a master tells of its level is an error of a scan as well")
    func levels() throws {
        try write("own.fits", [HeaderEntry("CALOVSC", .text("[445:480,1:400]"))]) { _, _ in 3 }
        let words = [
            "scan", scene.path("night/a.fits"), "-o", scene.path("levels.csv"), "--no-discovery", "--no-journal",
        ]
        let kept = try Program.run(words + ["--bias", scene.path("own.fits")])
        #expect(kept.code == 5, "\(kept.errors)")
        #expect(kept.errors.contains("which would keep its level; add --overscan auto"), "\(kept.errors)")
        let note = try Program.run(words + ["--dark", scene.path("dark.fits")])
        #expect(note.code == 0, "\(note.errors)")
        #expect(note.errors.contains("is scaled to other exposures, and no card tells"), "\(note.errors)")
    }
}
