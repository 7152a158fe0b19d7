import CommandLineKit
import ScanCluster
import ScanNetwork
import Testing
@testable import skyfarm

/// `skyfarm nodes` and the tags of nodes.
@Suite("skyfarm nodes", .timeLimit(.minutes(10))) struct NodesCommandTests {
    @Test("tags are a column if a node has some")
    func text() {
        let plain = NodesCommand.Row(address: "10.0.0.1:4870", isUsable: true, name: "alpha", slots: 4)
        var tagged = NodesCommand.Row(address: "10.0.0.2:4870", isUsable: true, name: "beta", slots: 8)
        tagged.tags = ["fast-disk", "gpu"]
        let without = NodesCommand.text([plain])
        #expect(!without.contains("TAGS"))
        let cells = without.split(separator: "\n").last?.split(separator: " ")
        #expect(cells == ["alpha", "10.0.0.1:4870", "4", "-", "-", "-", "-"])
        let lines = NodesCommand.text([plain, tagged]).split(separator: "\n")
        #expect(lines.count == 3 && lines.first?.hasSuffix("KEY  TAGS") == true, "\(lines)")
        #expect(lines.dropFirst().map { $0.split(separator: " ").last } == ["-", "gpu"])
        #expect(lines.last?.hasSuffix("  fast-disk gpu") == true, "\(lines)")
    }

    @Test("a node has one row, also if it has several addresses and is announced")
    func once() {
        func state(_ address: String, _ status: NodeState.Status, of identity: UInt64?) -> NodeState {
            var state = NodeState(address: address)
            state.status = status
            state.node = identity.map {
                NodeInfo(
                    identity: SystemID(high: $0, low: 0), name: "n\($0)", slots: 1, queueLimit: 1, taskTypes: [],
                    frameLimit: 1)
            }
            return state
        }
        let lost = ConnectError(.unreachable, "cannot be reached")
        let rows = NodesCommand.rows(
            of: [
                state("10.0.0.1:1", .joined, of: 1), state("[fd00::1]:1", .duplicate(of: "10.0.0.1:1"), of: 1),
                state("10.0.0.2:1", .failed(lost), of: 2), state("[fd00::2]:1", .failed(lost), of: 2),
                state("10.0.0.3:1", .failed(lost), of: nil), state("10.0.0.3:1", .failed(lost), of: nil),
            ], [])
        #expect(rows.map(\.address) == ["10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1"])
    }

    @Test("the tags of a node are listed")
    func listed() throws {
        let node = try Node("tagged", ["--tag", "gpu", "--tag", "fast-disk"])
        let listed = try Program.run(["nodes", "--node", node.address, "--json", "--no-discovery"])
        #expect(listed.code == 0, "\(listed.errors)")
        #expect(listed.output.contains(#/"tags" : \[\s*"fast-disk",\s*"gpu"\s*\]/#), "\(listed.output)")
    }

    @Test(
        "a tag that others could not name is refused",
        arguments: ["two words", "", "ä", String(repeating: "a", count: 65)])
    func refused(tag: String) throws {
        let result = try Program.run(["node", "--tag", tag])
        #expect(result.code == ExitCode.usage.rawValue && result.errors.contains("is not a tag"), "\(result.errors)")
    }
}
