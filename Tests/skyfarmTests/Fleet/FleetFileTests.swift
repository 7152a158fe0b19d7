import Foundation
import ScanCluster
import Testing

import ImageScanning

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

    @Test("what others have written there is left out")
    func foreign() throws {
        #expect(FleetFile.parse("a 10.0.0.7:4870 a-1f0c\nb\n\nc nowhere c\n# d 10.0.0.7:1 d\n").map(\.host) == ["a"])
    }

    @Test("commands at once lose nothing", .timeLimit(.minutes(5)))
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
