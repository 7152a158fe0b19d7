import CommandLineKit
import Foundation
import ScanSecurity
import Testing

/// Machines with the same key and with others.
@Suite("machines and their keys", .serialized) struct ClusterTests {
    let scene: Scene
    let image: String
    let mine: Machine
    let other: Machine
    let node: Node

    init() throws {
        scene = try Scene()
        (mine, other) = (Machine(scene, "mine"), Machine(scene, "other"))
        image = try scene.sky()
        node = try Node("far", environment: other.environment)
    }

    private func scan(_ further: [String]) throws -> Program.Result {
        try mine.run(["scan", image, "-o", scene.path("out/o.csv"), "--overwrite", "--node", node.address] + further)
    }

    @Test("a node of another cluster is refused in words that help, until the key is copied")
    func otherCluster() throws {
        let refused = try scan(["--local-slots", "0"])
        #expect(refused.code == ExitCode.authentication.rawValue, "\(refused.errors)")
        #expect(refused.errorLines.count == 1 && scene.outputs.isEmpty)
        for words in [node.address, "another cluster key", "skyfarm key export", "skyfarm key import"] {
            #expect(refused.errors.contains(words), "\(refused.errors)")
        }
        try node.program.waitForErrors("refused 127.0.0.1")
        #expect(try node.program.errors.contains("fingerprint \(mine.fingerprint), ours is \(other.fingerprint)"))
        for text in [refused.errors, node.program.errors] {
            #expect(try !text.contains(mine.secret) && !text.contains(other.secret))
        }
        let listed = try mine.run(["nodes", "--node", node.address])
        #expect(listed.code == ExitCode.authentication.rawValue)
        #expect(listed.output.contains("\(node.address)  cannot be used: has another cluster key"))

        #expect(try other.giveKey(to: mine).code == 0)
        let taken = try scan(["--local-slots", "0"])
        #expect(taken.code == 0 && scene.outputs == ["o.csv"], "\(taken.errors)")
        let usable = try mine.run(["nodes", "--node", node.address])
        #expect(try usable.code == 0 && usable.output.contains(other.fingerprint), "\(usable.output)")
    }

    @Test("with a system of its own a scan goes on without it, and names it")
    func goesOn() throws {
        let result = try scan(["--local-slots", "1"])
        #expect(result.code == 0 && scene.outputs == ["o.csv"])
        #expect(result.errors.contains("skyfarm: node \(node.address): has another cluster key"), "\(result.errors)")
    }

    @Test("with another node a scan goes on without it, and names it")
    func otherNode() throws {
        let near = try Node("near", environment: mine.environment)
        let result = try scan(["--local-slots", "0", "--node", near.address])
        #expect(result.code == 0 && scene.outputs == ["o.csv"])
        #expect(result.errors.contains("skyfarm: node \(node.address): has another cluster key"), "\(result.errors)")
    }

    @Test("a node adopts a rotated key, accepts the old one, and drops it once it is forgotten")
    func rotation() throws {
        #expect(try other.giveKey(to: mine).code == 0)
        #expect(try other.run(["key", "rotate"]).code == 0)
        try node.program.waitForErrors("the cluster key is now \(other.fingerprint)")
        #expect(try scan(["--local-slots", "0"]).code == 0)
        #expect(try other.run(["key", "new"]).code == 0)
        try node.program.waitForErrors("the cluster key is now \(other.fingerprint)")
        #expect(try scan(["--local-slots", "0"]).code == ExitCode.authentication.rawValue)
    }

    @Test("a scan that needs no node goes on where the key cannot be used")
    func noKey() throws {
        _ = try mine.run(["key", "new"])
        chmod(mine.keyPath, 0o644)
        let words = ["scan", image, "-o", scene.path("out/o.csv"), "--local-slots", "1", "--srv", "nosuch.invalid"]
        let result = try mine.run(words)
        #expect(result.code == 0 && scene.outputs == ["o.csv"])
        #expect(result.errors.contains("nodes are not looked for: others can use the cluster key"), "\(result.errors)")
    }
}
