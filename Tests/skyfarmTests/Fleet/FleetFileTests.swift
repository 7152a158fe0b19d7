import CommandLineKit
import Foundation
import ScanCluster
import Testing

import ImageScanning
import ScanFleet

@Suite struct FleetFileTests {
    private let scene: Scene
    private let file: FleetFile

    init() throws {
        scene = try Scene()
        file = FleetFile(path: scene.path("state/hosts"))
    }

    private func node(_ host: String, _ address: String = "10.0.0.7:4870") throws -> FleetNode {
        FleetNode(host: host, address: try SocketAddress(parsing: address), name: host + "-1f0c")
    }

    @Test("nodes are kept, replaced and forgotten by their hosts")
    func update() throws {
        #expect(file.nodes.isEmpty)
        try file.update(with: [node("a"), node("me@b")])
        try file.update(with: [node("a", "[fd00::7]:4871")])
        #expect(file.nodes == [try node("me@b"), try node("a", "[fd00::7]:4871")])
        try file.update(without: ["me@b", "x"])
        #expect(file.nodes == [try node("a", "[fd00::7]:4871")])
        try file.update(without: ["a"])
        #expect(!FileManager.default.fileExists(atPath: file.path))
        try file.update(expectsNodes: true)
        #expect(FileManager.default.fileExists(atPath: file.path) && file.nodes.isEmpty)
    }

    @Test("down takes hosts and whole names of nodes: after h1 was stopped, the word does not mean h10")
    func words() throws {
        let nodes = [try node("me@10.0.0.9"), try node("h10"), try node("x")]
        #expect(try nodes.hosts(of: ["h10-1f0c", "h10", "me@10.0.0.9-1f0c"]) == ["h10", "me@10.0.0.9"])
        #expect(try nodes.hosts(of: ["h1", "h1-1f0c", "h10-"]) == ["h1", "h1-1f0c", "h10-"])
        let twins = ["a", "b"].map { FleetNode(host: $0, address: nodes[0].address, name: "twin") }
        #expect(throws: CommandError.self) { try twins.hosts(of: ["twin"]) }
    }

    @Test("what others have written there is left out")
    func foreign() throws {
        #expect(FleetFile.parse("a 10.0.0.7:4870 a-1f0c\nb\n\nc nowhere c\n# d 10.0.0.7:1 d\n").map(\.host) == ["a"])
    }

    @Test("commands at once lose nothing", .timeLimit(.minutes(10)))
    func concurrent() async throws {
        let file = file
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                let node = try node("h\(number)")
                group.addTask { try file.update(with: [node]) }
            }
            try await group.waitForAll()
        }
        #expect(Set(file.nodes.map(\.host)) == Set((0..<20).map { "h\($0)" }))
    }
}
