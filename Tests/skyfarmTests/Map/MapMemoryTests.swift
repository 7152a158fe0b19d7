import Foundation
import Testing

/// Memory as a resource of nodes, for programs.
@Suite("memory of programs", .timeLimit(.minutes(10))) struct MapMemoryTests {
    let scene: Scene
    let mine: Machine

    init() throws {
        scene = try Scene()
        mine = Machine(scene, "mine")
    }

    private func items(_ count: Int, _ name: String) throws -> String {
        try scene.write((1...count).flatMap { Array("\($0)\n".utf8) }, name)
    }

    /// A node of 8 GB whose programs write to a trace when they begin and end.
    private func node(_ name: String) throws -> Node {
        let trace = scene.path("trace")
        let big = try scene.script("echo \(name) + >>'\(trace)'; sleep 0.2; echo \(name) - >>'\(trace)'", "big-\(name)")
        let small = try scene.script("sleep 0.02; echo \(name) small >>'\(trace)'", "small-\(name)")
        return try Node(
            name, slots: 8, ["--memory", "8G", "--program", "big=\(big)", "--program", "small=\(small)"],
            environment: mine.environment)
    }

    @Test("of programs of 3 GB, two run at a time on a node of 8 GB, and small ones beside them are not held up")
    func threeOfEight() throws {
        let nodes = try ["a", "b"].map(node)
        let options = ["-o", "-", "--no-discovery", "--wait", "20"] + nodes.flatMap { ["--node", $0.address] }
        let big = try Program(
            ["map", "big", "{item}", "--memory", "3G", "--items", items(40, "big"), "--progress", "json"] + options,
            environment: mine.environment)
        try big.waitForErrors(#""event":"finished""#)
        let small = try mine.run(["map", "small", "{item}", "--items", items(100, "small")] + options)
        #expect(small.code == 0, "\(small.errors)")
        let result = try big.finish()
        #expect(result.code == 0, "\(result.errors)")

        var (running, most) = (["a": 0, "b": 0], ["a": 0, "b": 0])
        var (begun, smalls, begunAtLastSmall) = (0, 0, 0)
        for line in try String(contentsOfFile: scene.path("trace"), encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            switch words[1] {
            case "+":
                running[words[0], default: 0] += 1
                most[words[0]] = max(most[words[0]] ?? 0, running[words[0]] ?? 0)
                begun += 1
            case "-": running[words[0], default: 0] -= 1
            default: (smalls, begunAtLastSmall) = (smalls + 1, begun)
            }
        }
        #expect(begun == 40 && smalls == 100)
        #expect(most == ["a": 2, "b": 2])
        // All small ones have run while big ones were still to begin.
        #expect(begunAtLastSmall < 40, "\(begunAtLastSmall)")
    }
}
