import Foundation
import Testing

/// `calibrate --cosmic-rays` with nodes, against one slot of this machine.
@Suite("a calibration with nodes", .serialized, .timeLimit(.minutes(10))) struct FarmedCalibrationTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
        let night = try Program.run(
            [
                "synth", "--raw", scene.path("night/"), "--size", "420x300", "--exposures", "60", "--lights", "4",
                "--quiet",
            ])
        try #require(night.code == 0, "\(night.errors)")
    }

    private func words(_ output: String, _ further: [String]) -> [String] {
        [
            "calibrate", scene.path("night/"), "-o", scene.path(output + "/"), "--masters", scene.path("masters/"),
            "--bad-pixels", scene.path("night/truth/bad-pixels.fits"), "--cosmic-rays", "--gain", "EGAIN",
            "--read-noise", "auto", "--saturation", "auto",
        ] + further
    }

    private func run(_ output: String, _ further: [String]) throws -> Program.Result {
        let result = try Program.run(words(output, further))
        #expect(result.code == 0, "\(further): \(result.errors)")
        return result
    }

    /// The names of the frames in `folder` that differ from those of one slot, or are missing.
    private func differences(_ folder: String) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: scene.path("one")).sorted()
        #expect(names.count == 8)
        return try names.filter { name in
            guard FileManager.default.fileExists(atPath: scene.path("\(folder)/\(name)")) else { return true }
            return try scene.bytes("\(folder)/\(name)") != scene.bytes("one/\(name)")
        }
    }

    private struct Document: Decodable {
        struct System: Decodable, Equatable {
            var name: String
            var tasks: Int
        }
        var systems: [System]
        var done: Int
    }

    private func document(_ result: Program.Result) throws -> Document {
        try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
    }

    @Test("writes the same bytes on slots and nodes, for any height of bands")
    func equal() throws {
        let one = try document(try run("one", ["--local-slots", "1", "--json"]))
        #expect(one.done == 8 && one.systems == [.init(name: "local", tasks: 8)])
        _ = try run("four", ["--local-slots", "4"])
        #expect(try differences("four") == [])
        _ = try run("bands", ["--local-slots", "2", "--band", "37"])
        #expect(try differences("bands") == [])
        let nodes = try [Node("one"), Node("two"), Node("three")]
        for count in 1...3 {
            let addresses = nodes.prefix(count).flatMap { ["--node", $0.address] }
            let result = try run("nodes\(count)", ["--local-slots", "0", "--json", "--band", "150"] + addresses)
            let systems = try document(result).systems
            #expect(systems.reduce(0) { $0 + $1.tasks } == 16 && systems.allSatisfy { $0.name != "local" })
            #expect(try differences("nodes\(count)") == [])
        }
        _ = try run("both", ["--local-slots", "1"] + nodes.flatMap { ["--node", $0.address] })
        #expect(try differences("both") == [])
    }

    @Test("writes the same bytes after a kill of a node, and when it is repeated after one of the coordinator")
    func killed() throws {
        _ = try run("one", ["--local-slots", "1"])
        let nodes = try [Node("one"), Node("two")]
        let cluster = ["--local-slots", "0", "--band", "40"] + nodes.flatMap { ["--node", $0.address] }
        let stopped = try Program(words("stopped", cluster + ["--progress", "json"]))
        try stopped.wait("a frame") { $0.contains(#""event":"file-ended""#) }
        stopped.send(SIGKILL)
        _ = try stopped.finish()
        // Frames appear when they are complete.
        for name in try FileManager.default.contentsOfDirectory(atPath: scene.path("stopped"))
        where !name.hasPrefix(".") {
            #expect(try scene.bytes("stopped/\(name)") == scene.bytes("one/\(name)"))
        }
        let lossy = try Program(words("stopped", cluster + ["--overwrite", "--progress", "json"]))
        try lossy.wait("a frame") { $0.contains(#""event":"file-ended""#) }
        nodes[0].program.send(SIGKILL)
        #expect(try lossy.finish().code == 0)
        #expect(try differences("stopped") == [])
    }

    @Test("names what is wrong with nodes, and a frame that fails")
    func failures() throws {
        let none = try Program.run(words("none", ["--local-slots", "0", "--wait", "0.2"]))
        #expect(none.code == 3 && none.errors.contains("--local-slots 0 excludes this machine"), "\(none.errors)")
        let light = try #require(
            FileManager.default.contentsOfDirectory(atPath: scene.path("night")).sorted().last {
                $0.hasPrefix("light")
            })
        let frame = scene.path("night/" + light)
        let short = try Data(contentsOf: URL(fileURLWithPath: frame)).dropLast(2880 * 3)
        try short.write(to: URL(fileURLWithPath: frame))
        let node = try Node("one")
        let result = try Program.run(words("cut", ["--local-slots", "0", "--node", node.address]))
        #expect(result.code == 23 && result.errors.contains(light), "\(result.errors)")
    }
}
