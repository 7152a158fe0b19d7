import Foundation
import Testing

@Suite("a watched folder", .serialized, .timeLimit(.minutes(10))) struct WatchTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
        for folder in ["in", "made"] {
            try FileManager.default.createDirectory(atPath: scene.path(folder), withIntermediateDirectories: true)
        }
        for (seed, name) in ["old", "new", "other", "slow"].enumerated() {
            _ = try scene.sky("made/\(name).fits", size: "500x400", ["--seed", "\(seed)"])
        }
    }

    private var environment: [String: String] { ["XDG_STATE_HOME": scene.path("state")] }

    private func watch(_ further: [String] = []) throws -> Program {
        let words = ["scan", "--watch", scene.path("in"), "-o", scene.path("out/"), "--progress", "never"]
        return try Program(words + further, environment: environment)
    }

    /// Renames a finished file into the folder, in place of another of that name if there is one.
    private func deliver(_ name: String, as target: String) throws {
        let file = scene.path("made/\(target).part")
        try scene.bytes("made/\(name).fits").write(to: URL(filePath: file))
        #expect(rename(file, scene.path("in/\(target).fits")) == 0)
    }

    private func append(_ bytes: Data, to name: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: scene.path(name)))
        try file.seekToEnd()
        try file.write(contentsOf: bytes)
        try file.close()
    }

    private func inodes(_ names: [String]) throws -> [UInt64] {
        try names.map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: scene.path(name))
            return try #require((attributes[.systemFileNumber] as? NSNumber)?.uint64Value)
        }
    }

    private func expectCatalogue(_ name: String, of image: String) throws {
        let alone = scene.path("alone-\(name)/")
        let result = try Program.run(["scan", scene.path("in/\(name).fits"), "-o", alone, "--no-journal"])
        #expect(result.code == 0, "\(result.errors)")
        #expect(try scene.bytes("out/\(name).fits") == scene.bytes("alone-\(name)/\(name).fits"))
        #expect(try scene.bytes("in/\(name).fits") == scene.bytes("made/\(image).fits"))
    }

    @Test("what was there, what arrives, what is written slowly and what is replaced is scanned, once each")
    func arrivals() throws {
        try deliver("old", as: "old")
        let program = try watch()
        try program.waitForErrors("/out/old.fits")
        try deliver("new", as: "new")
        try program.waitForErrors("/out/new.fits")
        // A writer that closes the file twice before it is complete.
        let whole = try scene.bytes("made/slow.fits")
        _ = try scene.write(whole.prefix(1000), "in/slow.fits")
        try append(whole[1000..<200_000], to: "in/slow.fits")
        try append(whole[200_000...], to: "in/slow.fits")
        try program.waitForErrors("/out/slow.fits")
        // Removed before it was complete.
        _ = try scene.write(whole.prefix(5000), "in/half.fits")
        _ = try scene.write(Array("no image".utf8), "in/text.fits")
        try program.waitForErrors("text.fits: not a FITS file")
        try FileManager.default.removeItem(atPath: scene.path("in/half.fits"))
        try program.waitForErrors("half.fits: removed before it was complete; it is not scanned")
        try FileManager.default.removeItem(atPath: scene.path("in/text.fits"))
        try deliver("other", as: "new")
        try program.wait("the new file again") { $0.components(separatedBy: "/out/new.fits").count == 3 }
        program.send(SIGINT)
        let result = try program.finish()
        #expect(result.code == 23, "\(result.errors)")
        #expect(result.errors.contains("4 files scanned, 1 failed"))
        for (name, image) in [("old", "old"), ("new", "other"), ("slow", "slow")] {
            try expectCatalogue(name, of: image)
        }
    }

    @Test("the same command scans only what is new; a watched folder takes no catalogue")
    func restart() throws {
        for name in ["old", "new"] { try deliver(name, as: name) }
        let first = try watch()
        try first.wait("two catalogues") { $0.contains("/out/old.fits") && $0.contains("/out/new.fits") }
        first.send(SIGKILL)
        #expect(try first.finish().code == -SIGKILL)
        let before = try inodes(["out/old.fits", "out/new.fits"])
        try deliver("slow", as: "slow")
        let second = try watch(["--json"])
        try second.waitForErrors("/out/slow.fits")
        second.send(SIGTERM)
        let result = try second.finish()
        #expect(result.code == 0 && result.output.contains("\"resumed\" : 2"), "\(result.output)\(result.errors)")
        #expect(try inodes(["out/old.fits", "out/new.fits"]) == before)
        let refused = try Program.run(["scan", "--watch", scene.path("in"), "-o", scene.path("in/")])
        #expect(refused.code == 2 && refused.errors.contains("writes FITS files into a folder that is watched"))
        let missing = try Program.run(["scan", "--watch", scene.path("none"), "-o", scene.path("out/")])
        #expect(missing.code == 5 && missing.errors.contains("none: the folder cannot be read"))
    }

    @Test("--recursive watches folders at any depth, also those made or renamed later, and ends at links in a circle")
    func recursive() throws {
        for folder in ["in/night", "made/later", "made/night", "made/new/deep"] {
            try FileManager.default.createDirectory(atPath: scene.path(folder), withIntermediateDirectories: true)
        }
        #expect(symlink("..", scene.path("in/night/up")) == 0)
        try deliver("old", as: "night/old")
        let clash = try watch(["--recursive"]).finish()
        #expect(clash.code == 2 && clash.errors.contains("add {dir} or {ext} to the name"), "\(clash.errors)")
        let words = ["scan", "--watch", scene.path("in"), "--recursive", "--progress", "never"]
        let inside = try Program.run(words + ["-o", "{dir}/cats/{stem}.fits"], environment: environment)
        #expect(inside.code == 2 && inside.errors.contains("writes FITS files into a folder that is watched"))
        let program = try Program(words + ["-o", scene.path("out/{dir}/{stem}.fits")], environment: environment)
        try program.waitForErrors("/in/night/old.fits")
        // A folder is made, and one with a file in it is renamed into the tree.
        try FileManager.default.createDirectory(
            atPath: scene.path("in/new/deep"), withIntermediateDirectories: true)
        try deliver("new", as: "new/deep/new")
        _ = try scene.write(scene.bytes("made/slow.fits"), "made/later/slow.fits")
        #expect(rename(scene.path("made/later"), scene.path("in/night/later")) == 0)
        try program.waitForErrors("/in/new/deep/new.fits")
        try program.waitForErrors("/in/night/later/slow.fits")
        program.send(SIGINT)
        let result = try program.finish()
        #expect(result.code == 0 && result.errors.contains("3 files scanned:"), "\(result.errors)")
    }

    @Test("--where leaves out what arrives and does not meet the condition; the same command does not open it again")
    func condition() throws {
        let samples = [Float](repeating: 1, count: 64 * 64)
        for (name, kind) in [("dark", "DARK"), ("light", "LIGHT")] {
            _ = try scene.image("made/\(name).fits", axes: [64, 64], samples: samples, cards: ["IMAGETYP= '\(kind)'"])
            try deliver(name, as: name)
        }
        _ = try scene.table("in/table.fits")
        let words = ["--where", "IMAGETYP = 'LIGHT'", "--json", "-v"]
        for run in ["first", "second"] {
            // Files that were there are scanned in their order: this one comes last.
            if run == "second" { try deliver("old", as: "zz") }
            let program = try watch(words)
            if run == "first" {
                try program.waitForErrors("dark.fits: left out by --where: IMAGETYP is 'DARK'")
                try program.waitForErrors("/out/light.fits")
                try program.waitForErrors("table.fits: left out: holds no 2-D image")
            } else {
                try program.waitForErrors("zz.fits: left out by --where: IMAGETYP is missing")
            }
            program.send(SIGINT)
            let result = try program.finish()
            #expect(
                result.code == 0 && result.output.contains("\"leftOut\" : \(run == "first" ? 2 : 3)"),
                "\(result.output)")
            #expect(result.output.contains("\"failed\" : 0"))
        }
    }

    @Test("a file that is left out until its header is complete is recorded as scanned")
    func completed() throws {
        let samples = [Float](repeating: 1, count: 64 * 64)
        _ = try scene.image("made/bare.fits", axes: [64, 64], samples: samples)
        _ = try scene.image("made/light.fits", axes: [64, 64], samples: samples, cards: ["IMAGETYP= 'LIGHT'"])
        let words = ["--where", "IMAGETYP = 'LIGHT'", "--json", "-v"]
        try deliver("bare", as: "a")
        let first = try watch(words)
        try first.waitForErrors("a.fits: left out by --where: IMAGETYP is missing")
        try deliver("light", as: "a")
        try first.waitForErrors("/out/a.fits")
        first.send(SIGINT)
        #expect(try first.finish().code == 0)
        // Files that were there are scanned in their order: this one comes last.
        try deliver("bare", as: "zz")
        let second = try watch(words)
        try second.waitForErrors("zz.fits: left out by --where: IMAGETYP is missing")
        second.send(SIGINT)
        let result = try second.finish()
        #expect(result.code == 0 && result.output.contains("\"resumed\" : 1"), "\(result.output)\(result.errors)")
        #expect(result.output.contains("\"leftOut\" : 1") && result.output.contains("\"failed\" : 0"))
    }
}
