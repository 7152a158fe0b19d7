import Foundation
import SkyFITS
import SkyTestSupport
import Testing

/// Raw nights of `synth --raw`, calibrated by their headers.
@Suite(.timeLimit(.minutes(10))) struct NightCalibrationTests {
    private let folder: SkyTestSupport.TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The names of masters of the night.
    private static let place = "synthetic-camera_300x200_20260110.fits"
    private static let bias = "bias_1x1_gain100_" + place
    private static let dark = "dark_60s_1x1_gain100_-10C_" + place
    private static let flatG = "flat_g_1x1_gain100_" + place
    private static let flatR = "flat_r_1x1_gain100_" + place

    private var night: String { folder.path("night/") }
    private var reduced: String { folder.path("red/") }

    private func synth(_ words: [String] = []) throws {
        let made = try Program.run(
            ["synth", "--raw", night, "--size", "300x200", "--exposures", "60", "--lights", "1"] + words)
        #expect(made.code == 0, "\(made.errors)")
    }

    private func calibrate(_ words: [String] = []) throws -> Program.Result {
        try Program.run(["calibrate", night, "-o", reduced] + words)
    }

    private func pixels(_ path: String) throws -> [Float] {
        let image = try FITSImage(path)
        var pixels = [Float](repeating: 0, count: image.width * image.height)
        try pixels.withUnsafeMutableBufferPointer { try image.read(rows: 0..<image.height, into: $0) }
        return pixels
    }

    private func names(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0.hasSuffix(".fits") }.sorted()
    }

    private func contents(_ path: String) -> [String: Data?] {
        Dictionary(uniqueKeysWithValues: names(path).map { ($0, FileManager.default.contents(atPath: path + $0)) })
    }

    /// Writes another header into a copy of a frame, or changes its bytes.
    private func change(_ name: String, _ body: (inout Data) -> Void) throws {
        let url = URL(fileURLWithPath: night + name)
        var data = try Data(contentsOf: url)
        body(&data)
        try data.write(to: url)
    }

    private func replace(_ old: String, _ new: String, in data: inout Data) {
        guard let range = data.range(of: Data(old.utf8)) else {
            Issue.record("no card \(old)")
            return
        }
        data.replaceSubrange(range, with: Data(new.utf8))
    }

    @Test("the light frames of a night become the clean sky, with masters that are made of its other frames")
    func wholeNight() throws {
        try synth(["--cosmic-rays", "0", "--trails", "0"])
        let result = try calibrate(["--bad-pixels", night + "truth/bad-pixels.fits"])
        #expect(result.code == 0 && result.errors == "\(reduced): 2 of 2 frames calibrated\n", "\(result.errors)")
        #expect(names(reduced) == ["light-g-60s-001.fits", "light-r-60s-001.fits"])
        #expect(
            names(reduced + "masters/") == [
                Self.bias, Self.dark, Self.flatG, Self.flatR,
            ])
        for name in names(reduced) {
            let (own, clean) = (try pixels(reduced + name), try pixels(night + "truth/" + name))
            let pairs = zip(own, clean).filter { !$0.0.isNaN }
            #expect(pairs.count > 59_000)
            let differences = pairs.map { Double($0.0) - Double($0.1) }.sorted()
            let sky = pairs.map { Double($0.1) }.sorted()[pairs.count / 2]
            #expect(abs(differences[pairs.count / 2]) < 0.005 * sky)
            // Noise of the masters and of the light that is lost, far below that of the sky.
            let spread = differences[pairs.count * 84 / 100] - differences[pairs.count * 16 / 100]
            #expect(spread / 2 < 8, "\(spread)")
            let header = try FITSImage(reduced + name).header
            #expect(header.text("CALFLAT")?.hasPrefix("flat_\(name.dropFirst(6).prefix(1))") == true)
            #expect(header.text("CALOVSC") != nil && header.number("CRPIX1") == 150.5)
        }
        let flat = try FITSImage(reduced + "masters/\(Self.flatG)").header
        #expect(flat.text("IMAGETYP") == "master flat" && flat.text("FILTER") == "g" && flat.number("NCOMBINE") == 7)
        #expect(flat.text("COMBBIAS") == Self.bias && flat.number("MJD-AVG") != nil)
    }

    @Test("the next run keeps the masters whose frames are the same, and makes the others again")
    func again() throws {
        try synth()
        #expect(try calibrate().code == 0)
        let before = contents(reduced + "masters/")
        let kept = try calibrate(["--overwrite", "--json", "--local-slots", "1"])
        #expect(kept.code == 0 && kept.output.components(separatedBy: "\"state\" : \"kept\"").count == 5)
        #expect(contents(reduced + "masters/") == before)
        try FileManager.default.removeItem(atPath: night + "flat-g-003.fits")
        let changed = try calibrate(["--overwrite", "--json"])
        #expect(changed.output.components(separatedBy: "\"state\" : \"kept\"").count == 4)
        let after = contents(reduced + "masters/")
        #expect(after.filter { $0.value != before[$0.key] }.keys.sorted() == [Self.flatG])
        // A file of somebody else is not replaced.
        try FileManager.default.copyItem(
            atPath: night + "bias-001.fits", toPath: folder.path(Self.bias))
        let foreign = try calibrate(["--overwrite", "--masters", folder.path])
        #expect(foreign.code == 6 && foreign.errors.contains("was not made by calibrate; name another folder"))
        // Without the frames, the masters of the last run are used.
        for name in names(night) where !name.hasPrefix("light") {
            try FileManager.default.removeItem(atPath: night + name)
        }
        let library = try calibrate(["--overwrite", "--masters", reduced + "masters"])
        #expect(library.code == 0 && library.errors.hasSuffix("2 of 2 frames calibrated\n"), "\(library.errors)")
        let header = try FITSImage(reduced + "light-g-60s-001.fits").header
        #expect(header.text("CALDARK") == Self.dark)
    }

    @Test("a dry run prints the plan, and writes nothing")
    func dryRun() throws {
        try synth(["--calibrations", "4"])
        for name in names(night) where name.hasPrefix("flat-r") {
            try FileManager.default.removeItem(atPath: night + name)
        }
        let result = try calibrate(["--dry-run"])
        let lines = result.output.replacing(folder.path + "/", with: "").split(separator: "\n").map(String.init)
        #expect(result.code == 23)
        #expect(
            lines == [
                "red/masters/\(Self.bias) would be made: bias of 4 frames, night/bias-001.fits to "
                    + "night/bias-004.fits",
                "red/masters/\(Self.dark) would be made: dark of 4 frames, "
                    + "night/dark-60s-001.fits to night/dark-60s-004.fits",
                "    minus red/masters/\(Self.bias)",
                "red/masters/\(Self.flatG) would be made: flat of 4 frames, "
                    + "night/flat-g-001.fits to night/flat-g-004.fits",
                "    minus red/masters/\(Self.bias)",
                "    minus red/masters/\(Self.dark)",
                "red/light-g-60s-001.fits: night/light-g-60s-001.fits",
                "    minus red/masters/\(Self.bias)",
                "    minus red/masters/\(Self.dark)",
                "    divided by red/masters/\(Self.flatG)",
                "night/light-r-60s-001.fits: no flat matches: \(Self.flatG) has filter g, not r",
            ])
        #expect(folder.names == ["night"])
        let json = try calibrate(["--dry-run", "--json"])
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect((document["masters"] as? [[String: Any]])?.count == 3)
        #expect((document["lights"] as? [[String: Any]])?.count == 1 && folder.names == ["night"])
        let real = try calibrate()
        #expect(
            real.code == 23 && real.errors.contains("no flat matches") && names(reduced) == ["light-g-60s-001.fits"])
    }

    @Test("frames that cannot be used are named, and all others are calibrated without them")
    func badFrames() throws {
        try synth(["--lights", "3"])
        try Data("no FITS".utf8).write(to: URL(fileURLWithPath: night + "note.fits"))
        try change("bias-002.fits") { $0.removeLast(100_000) }
        try change("flat-g-002.fits") { replace("IMAGETYP= 'Flat Field'", "IMAGETYP= 'Quux Field'", in: &$0) }
        try change("light-g-60s-002.fits") { replace("IMAGETYP", "IMAGETOP", in: &$0) }
        try change("light-r-60s-002.fits") {
            replace("GAIN    =                  100", "GAIN    =                  200", in: &$0)
        }
        let result = try calibrate()
        #expect(result.code == 23)
        for words in [
            "note.fits", "bias-002.fits", "flat-g-002.fits: its card IMAGETYP = 'Quux Field' names no kind",
            "light-g-60s-002.fits: no card tells what the frame is", "light-r-60s-002.fits: no bias matches: ",
            "has gain 100, not 200", "4 of 9 frames calibrated, 5 failed",
        ] { #expect(result.errors.contains(words), "\(words): \(result.errors)") }
        #expect(names(reduced).count == 4)
        let bias = try FITSImage(reduced + "masters/\(Self.bias)").header
        #expect(bias.number("NCOMBINE") == 6)
    }

    @Test(
        "one of 100 frames that is damaged within is named, and the master is made of the others",
        arguments: [[], ["--overscan", "none", "--trim", "none"]])
    func damaged(words: [String]) throws {
        try synth(["--calibrations", "100", "--size", "40", "--filters", "g"])
        // Compressed tiles, of which one is overwritten.
        let biases = names(night).filter { $0.hasPrefix("bias") }
        let packed = try Program.run(["calibrate", night + "bias*.fits", "-o", folder.path("fz/"), "--compress"])
        #expect(packed.code == 0 && biases.count == 100)
        for name in biases {
            try FileManager.default.removeItem(atPath: night + name)
            try FileManager.default.moveItem(atPath: folder.path("fz/\(name).fz"), toPath: night + name + ".fz")
        }
        try change("bias-033.fits.fz") { data in
            guard let end = data.range(of: Data("ZIMAGE".utf8))?.upperBound else { return }
            // In the first block of data after the header of the image.
            let start =
                (data[end...].range(of: Data(("END" + String(repeating: " ", count: 77)).utf8))?.upperBound ?? end)
            let first = (start + 2879) / 2880 * 2880 + 2000
            for index in first..<first + 400 { data[index] = 0x55 }
        }
        let result = try calibrate(words)
        #expect(result.code == 23 && result.errors.contains("bias-033.fits.fz"), "\(result.errors)")
        #expect(result.errors.contains("1 of 2 frames calibrated, 1 failed"))
        let name = try #require(names(reduced + "masters/").first { $0.hasPrefix("bias") })
        #expect(try FITSImage(reduced + "masters/\(name)").header.number("NCOMBINE") == 99)
        // The next run keeps the master, and names the frame again.
        let before = contents(reduced + "masters/")
        for further in [["--dry-run"], ["--overwrite"]] {
            let again = try calibrate(words + further + ["--json"])
            #expect(again.code == 23, "\(again.errors)")
            #expect((again.output + again.errors).contains("bias-033.fits.fz"))
            #expect(again.output.components(separatedBy: "\"state\" : \"kept\"").count == 4, "\(again.output)")
        }
        #expect(contents(reduced + "masters/") == before)
        // Once it can be read, the master is made of all.
        let good = try Data(contentsOf: URL(fileURLWithPath: night + "bias-034.fits.fz"))
        try good.write(to: URL(fileURLWithPath: night + "bias-033.fits.fz"))
        #expect(try calibrate(words + ["--overwrite"]).code == 0)
        #expect(try FITSImage(reduced + "masters/\(name)").header.number("NCOMBINE") == 100)
    }

    @Test("the masters of two cameras share a folder, where each finds its own")
    func cameras() throws {
        try synth(["--calibrations", "2", "--filters", "g"])
        let masters = ["--masters", folder.path("masters")]
        #expect(try calibrate(masters).code == 0)
        let first = contents(folder.path("masters/"))
        for name in names(night) {
            try change(name) { replace("'synthetic camera'", "'synthetic camcam'", in: &$0) }
        }
        #expect(try calibrate(masters + ["--overwrite"]).code == 0)
        let both = contents(folder.path("masters/"))
        #expect(both.count == 2 * first.count && first.allSatisfy { both[$0.key] == $0.value })
        // Each of a later night gets that of its camera, and a third camera none.
        for name in names(night) where !name.hasPrefix("light") {
            try FileManager.default.removeItem(atPath: night + name)
        }
        #expect(try calibrate(masters + ["--overwrite"]).code == 0)
        let header = try FITSImage(reduced + "light-g-60s-001.fits").header
        #expect(header.text("CALBIAS")?.contains("synthetic-camcam") == true)
        try change("light-g-60s-001.fits") { replace("'synthetic camcam'", "'another camera  '", in: &$0) }
        let other = try calibrate(masters + ["--overwrite"])
        #expect(other.errors.contains("has camera synthetic cam") && other.errors.contains(", not another camera"))
    }

    @Test("a master that cannot be made fails the frames that need it, and others are calibrated")
    func hopelessMaster() throws {
        try synth(["--calibrations", "2"])
        // Flats without light: after the bias is subtracted, their level is about 0.
        for number in 1...2 {
            let bias = try Data(contentsOf: URL(fileURLWithPath: night + "bias-00\(number).fits"))
            try change("flat-g-00\(number).fits") { flat in
                flat.replaceSubrange(flat.count / 2..<flat.count, with: bias.suffix(flat.count - flat.count / 2))
                for index in 5760..<flat.count / 2 { flat[index] = 0x83 }
            }
        }
        let result = try calibrate()
        #expect(result.code == 23 && names(reduced) == ["light-r-60s-001.fits"], "\(result.errors)")
        #expect(result.errors.contains("light-g-60s-001.fits: its flat was not made:"))
        #expect(!names(reduced + "masters/").contains { $0.hasPrefix("flat_g") })
    }

    @Test("flags that name masters, and those that find them, are refused together; an empty night is an error")
    func flags() throws {
        try synth(["--calibrations", "1"])
        let both = try calibrate(["--bias", night + "bias-001.fits", "--dry-run"])
        #expect(both.code == 2 && both.errors.contains("name it with --masters"))
        #expect(try calibrate(["--group", "a b"]).code == 2)
        let patterns = try Program.run(
            ["calibrate", night + "*-g-*.fits", night + "bias*", "-o", reduced, "--group", "filter,gain"])
        #expect(patterns.code == 0 && names(reduced) == ["light-g-60s-001.fits"], "\(patterns.errors)")
        #expect(patterns.errors.contains("there is no dark frame: this step is left out"))
        for name in names(night) where name.hasPrefix("light") {
            try FileManager.default.removeItem(atPath: night + name)
        }
        let none = try calibrate()
        #expect(none.code == 5 && none.errors.contains("has no light frame among"))
        #expect(try Program.run(["calibrate", night, "-o", night, "--overwrite"]).code == 5)
    }

    @Test("frames of other kinds and files that are no masters are named; light frames alone are an error")
    func leftOut() throws {
        try synth(["--calibrations", "2"])
        try change("bias-001.fits") { replace("'Bias Frame'", "'focus     '", in: &$0) }
        let masters = folder.path("masters/")
        try FileManager.default.createDirectory(atPath: masters, withIntermediateDirectories: true)
        try Data("no FITS".utf8).write(to: URL(fileURLWithPath: masters + "note.fits"))
        try FileManager.default.moveItem(atPath: night + "dark-60s-002.fits", toPath: masters + "dark.fits")
        let plan = try calibrate(["--dry-run", "--masters", masters])
        #expect(plan.code == 0 && plan.output.contains("of other kinds: \(night)bias-001.fits\n"), "\(plan.output)")
        #expect(
            plan.errors.contains("note.fits") && plan.errors.contains("dark.fits: is not used, since it is no master"))
        for name in names(night) where !name.hasPrefix("light") {
            try FileManager.default.removeItem(atPath: night + name)
        }
        // The overscan alone can be subtracted, but not nothing.
        let overscan = try calibrate(["--dry-run"])
        #expect(overscan.code == 0 && overscan.errors.contains("there is no flat frame: this step is left out"))
        let lights = try calibrate(["--overscan", "none"])
        #expect(lights.code == 5 && lights.errors.contains("has no bias, dark or flat frame among 2 files"))
        #expect(lights.errors.contains("as in '\(night)*.fits'") && folder.names.count == 2)
    }

    @Test("a night goes from raw frames to catalogues in one command")
    func catalogues() throws {
        try synth()
        let catalogues = ["--", "-o", folder.path("cats/"), "--no-discovery", "--threshold", "3"]
        let result = try calibrate(catalogues)
        #expect(result.code == 0 && result.errors.contains("2 of 2 frames calibrated"), "\(result.errors)")
        #expect(names(folder.path("cats/")) == names(reduced))
        let twice = try Program.run([
            "scan", reduced, "-o", folder.path("twice/"), "--no-discovery", "--threshold", "3",
        ])
        #expect(twice.code == 0 && contents(folder.path("twice/")) == contents(folder.path("cats/")))
        // Wrong words end the command before any work, and a frame that fails is not scanned.
        let wrong = try calibrate(["--overwrite", "--", "-o", folder.path("cats/"), "--treshold", "3"])
        #expect(wrong.code == 2 && wrong.errors.contains("--treshold"))
        #expect(try calibrate(["--", "image.fits"]).code == 2)
        try change("light-r-60s-001.fits") { replace("IMAGETYP", "IMAGETOP", in: &$0) }
        let rest = try Program.run(
            ["calibrate", night, "-o", folder.path("red2/"), "--", "-o", folder.path("cats2/"), "--no-discovery"])
        #expect(rest.code == 23 && names(folder.path("cats2/")) == ["light-g-60s-001.fits"])
    }

    @Test("frames below folders are found by --recursive, and one of another size fails alone")
    func folders() throws {
        try synth(["--calibrations", "2"])
        for kind in ["bias", "dark", "flat", "light"] {
            let own = folder.path("tree/\(kind)/")
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
            for name in names(night) where name.hasPrefix(kind) {
                try FileManager.default.moveItem(atPath: night + name, toPath: own + name)
            }
        }
        let small = try Program.run(
            ["synth", "--raw", folder.path("small"), "--size", "100", "--exposures", "60", "--lights", "1"])
        #expect(small.code == 0)
        try FileManager.default.moveItem(
            atPath: folder.path("small/light-g-60s-001.fits"), toPath: folder.path("tree/light/small.fits"))
        let result = try Program.run(["calibrate", folder.path("tree"), "-o", reduced, "--recursive"])
        #expect(result.code == 23 && names(reduced).count == 2)
        #expect(
            result.errors.contains(
                "small.fits: no bias matches: \(Self.bias) has 300 x 200 pixels, not"))
    }
}
