import CommandLineKit
import Foundation
import Testing

/// Nodes that are paused while a scan runs.
@Suite("pauses during a scan", .serialized, .timeLimit(.minutes(10))) struct PauseTests {
    let scene: Scene
    let nodes: [Node]

    init() throws {
        scene = try Scene()
        nodes = [try Node("first"), try Node("second")]
    }

    private func words(_ image: String, _ further: [String]) -> [String] {
        ["scan", image, "--local-slots", "0", "--band", "128", "--no-journal"]
            + nodes.flatMap { ["--node", $0.address] } + further
    }

    @Test("a node gives its tasks back within 2 s, no attempt is counted, and the catalogue is the same")
    func pause() throws {
        let image = try scene.sky(size: "4000x4000")
        let expected = try Program.run(
            ["scan", image, "-o", scene.path("expected.fits"), "--band", "128", "--no-journal"])
        try #require(expected.code == 0)
        let program = try Program(
            words(image, ["-o", scene.path("out/o.fits"), "--progress", "json", "--max-attempts", "1"]))
        try program.waitForErrors(#""event":"finished""#)
        nodes[0].program.send(SIGUSR1)
        try nodes[0].program.waitForErrors("paused: by its owner")
        try nodes[0].program.waitForErrors("all slots are free after ")
        let freed = try #require(nodes[0].program.errors.firstMatch(of: /free after ([0-9]+) (m?s);/))
        #expect(Int(freed.1).map { freed.2 == "s" ? $0 * 1000 : $0 } ?? .max <= 2000, "\(freed.0)")
        let result = try program.finish()
        #expect(result.code == 0, "\(result.errors)")
        #expect(try scene.bytes("out/o.fits") == scene.bytes("expected.fits"))
        #expect(!result.errors.contains(#""event":"retried""#) && !result.errors.contains("failed:"))
        let listed = try Program.run(["nodes", "--node", nodes[0].address])
        #expect(listed.code == ExitCode.noUsableNode.rawValue)
        #expect(listed.output.contains("cannot be used: is paused: by its owner"), "\(listed.output)")

        // Who holds the key cannot end what the owner wants.
        let resume = try Program.run(["nodes", "resume", nodes[0].address])
        #expect(resume.code == ExitCode.noUsableNode.rawValue && resume.output == "first  paused: by its owner\n")
        nodes[0].program.send(SIGUSR2)
        try nodes[0].program.waitForErrors("resumed")
        let last = try Program.run(words(image, ["--only", "first", "-o", scene.path("out/again.fits")]))
        #expect(last.code == 0, "\(last.errors)")
        #expect(try scene.bytes("out/again.fits") == scene.bytes("expected.fits"))
    }

    @Test("who holds the key pauses and resumes nodes by name and address")
    func orders() throws {
        let image = try scene.sky()
        let paused = try Program.run(["nodes", "pause", "first", nodes[1].address, "--node", nodes[0].address])
        #expect(paused.code == 0, "\(paused.errors)")
        let lines = paused.output.split(separator: "\n")
        #expect(lines.count == 2 && lines.first?.hasPrefix("first  paused: by order of ") == true, "\(lines)")
        let none = try Program.run(words(image, ["-o", scene.path("out/o.fits")]))
        #expect(none.code == ExitCode.noUsableNode.rawValue && none.errors.contains("is paused: by order of"))
        let resumed = try Program.run(["nodes", "resume"] + nodes.map(\.address))
        #expect(resumed.code == 0 && resumed.output == "first  runs tasks\nsecond  runs tasks\n")
        let left = try Program.run(words(image, ["--exclude", "fir*", "-o", scene.path("out/o.fits"), "--json"]))
        #expect(left.code == 0, "\(left.errors)")
        #expect(try Report(left.output).systems.map(\.name) == ["second"])
        #expect(left.errors.contains("is left out by --exclude fir*"), "\(left.errors)")
        let missing = try Program.run(["nodes", "pause", "nosuch", "--wait", "0"])
        #expect(missing.code == ExitCode.noUsableNode.rawValue && missing.errors.contains("no node nosuch answers"))
    }

    @Test("a node begins paused outside of its hours")
    func hours() throws {
        let time = Calendar.current.dateComponents([.hour], from: .now).hour ?? 0
        let (start, end) = ((time + 2) % 24, (time + 3) % 24)
        let node = try Node("day", ["--hours", "\(start):00-\(end):00"])
        try node.program.waitForErrors("paused: outside of --hours ")
        node.program.send(SIGTERM)
        #expect(try node.program.finish().code == 0)
    }
}
