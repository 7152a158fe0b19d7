import CommandLineKit
import Foundation
import ScanSecurity
import Testing

/// Unusable addresses, and nodes that disconnect.
@Suite("nodes in trouble", .serialized) struct NodeTroubleTests {
    let scene: Scene

    init() throws { scene = try Scene() }

    /// An address, and what is said of it.
    struct Trouble: CustomStringConvertible, Sendable {
        var description: String
        var manner: Foreigner.Manner?
        /// Holds the cluster key, and says this.
        var member: [UInt8]?
        var address = ""
        var words: String

        // Magic, versions 7 to 9, a node's greeting without a body.
        private static let otherVersion =
            Array("SKYFARM\r\n\r\n\0".utf8) + [7, 0, 9, 0, 2, 0, 0, 0, 0, 0, 0, 0]

        static let all = [
            Trouble(description: "refuses", address: "127.0.0.1:1", words: "is 'skyfarm node' running there?"),
            Trouble(description: "does not resolve", address: "nosuch.invalid:4870", words: "cannot be resolved"),
            Trouble(
                description: "HTTP server", manner: .answers(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
                words: "speaks HTTP: it is not Skyfarm"),
            Trouble(
                description: "SSH server", manner: .greets(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)),
                words: "speaks SSH: it is not Skyfarm"),
            Trouble(description: "silent", manner: .silent, words: "did not finish the TLS handshake within 3 s"),
            Trouble(
                description: "closes", manner: .answers([]), words: "closed the connection in the TLS handshake"),
            Trouble(
                description: "other version", member: otherVersion,
                words: "speaks protocol 7 to 9, this program 2; use the same version of skyfarm on both"),
        ]
    }

    @Test("a node that cannot be used is named, and without any the exit code is 3", arguments: Trouble.all)
    func noUsableNode(trouble: Trouble) throws {
        let member = try trouble.member.map { bytes in
            Foreigner.Manner.member(bytes, try KeyStore(path: Program.configuration + "/skyfarm/cluster.key").ring())
        }
        let foreigner = try (member ?? trouble.manner).map { try Foreigner($0) }
        defer { foreigner?.close() }
        let address = foreigner?.address ?? trouble.address
        let image = try scene.sky()
        let words = ["scan", image, "-o", scene.path("out/o.csv"), "--node", address]
        let alone = try Program.run(words + ["--local-slots", "0"])
        #expect(alone.code == ExitCode.noUsableNode.rawValue)
        #expect(alone.errorLines.count == 1 && alone.output.isEmpty, "\(alone.errors)")
        #expect(alone.errors.contains(address) && alone.errors.contains(trouble.words), "\(alone.errors)")
        #expect(alone.errors.contains("leave out --local-slots 0"), "\(alone.errors)")
        #expect(scene.outputs.isEmpty)

        let list = try Program.run(["nodes", "--node", address])
        #expect(list.code == ExitCode.noUsableNode.rawValue)
        #expect(list.output.hasPrefix("\(address)  cannot be used: "), "\(list.output)")
        #expect(list.output.contains(trouble.words), "\(list.output)")
    }

    @Test("with a system of its own a scan goes on without the nodes, and names them")
    func goesOn() throws {
        let image = try scene.sky()
        let result = try Program.run([
            "scan", image, "-o", scene.path("out/o.csv"), "--node", "127.0.0.1:1", "--local-slots", "1",
        ])
        #expect(result.code == 0)
        #expect(result.errors.contains("skyfarm: node 127.0.0.1:1: cannot be reached"), "\(result.errors)")
        #expect(scene.outputs == ["o.csv"])
    }

    @Test("without a node the remedy is named")
    func noNodes() throws {
        let result = try Program.run(["scan", try scene.sky(), "-o", scene.path("out/o.csv"), "--local-slots", "0"])
        #expect(result.code == ExitCode.noUsableNode.rawValue)
        #expect(result.errorLines.count == 1 && result.errors.contains("name one with --node HOST:PORT"))
    }

    @Test("a connection closed during a task costs an attempt, but no source", arguments: [5_000, 100_000, 300_000])
    func closesInMidTask(bytes: Int) throws {
        let image = try scene.sky()
        let expected = try Program.run(["scan", image, "-o", scene.path("out/a.csv"), "--band", "64"])
        #expect(expected.code == 0)
        let nodes = [try Node("first"), try Node("second")]
        let port = try #require(nodes[0].address.split(separator: ":").last.flatMap { UInt16($0) })
        let foreigner = try Foreigner(.passes(port: port, bytes: bytes))
        defer { foreigner.close() }
        let result = try Program.run([
            "scan", image, "-o", scene.path("out/b.csv"), "--band", "64", "--local-slots", "0", "--node",
            foreigner.address, "--node", nodes[1].address,
        ])
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.errors.contains("node first left"), "\(result.errors)")
        #expect(try scene.bytes("out/a.csv") == scene.bytes("out/b.csv"))
    }

    @Test("an address that a node cannot listen on is named, with what to do")
    func cannotListen() throws {
        let node = try Node("first")
        let taken = try Program.run(["node", "--listen", node.address])
        #expect(taken.code == ExitCode.failure.rawValue && taken.errorLines.count == 1)
        #expect(
            taken.errors.contains("address already in use; choose another port, or 0 for a free one"), "\(taken.errors)"
        )
        let foreign = try Program.run(["node", "--listen", "192.0.2.1:0"])
        #expect(foreign.code == ExitCode.failure.rawValue && foreign.errorLines.count == 1)
        #expect(foreign.errors.contains("--listen 0.0.0.0:"), "\(foreign.errors)")
    }
}
