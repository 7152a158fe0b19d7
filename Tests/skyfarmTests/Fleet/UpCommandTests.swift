import CommandLineKit
import Foundation
import ScanCluster
import Testing

import ImageScanning

/// `skyfarm up` and `down` with a stand-in for ssh, which runs the shell on this machine; `Tests/lab/scenarios/up.sh` has
/// real hosts.
@Suite("skyfarm up") struct UpCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
        try FileManager.default.createDirectory(atPath: scene.path("home"), withIntermediateDirectories: true)
    }

    /// Runs a command whose `ssh` is this script.
    private func run(_ words: [String], ssh: String = "cd '%' && HOME=$PWD exec sh") throws -> Program.Result {
        _ = try scene.script(ssh.replacing("%", with: scene.path("home")), "ssh")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return try Program.run(
            words,
            environment: [
                "PATH": "\(scene.folder):\(path)", "XDG_CONFIG_HOME": scene.path("config"),
                "XDG_STATE_HOME": scene.path("state"), "SSH_CONNECTION": "127.0.0.1 1 127.0.0.1 22",
            ])
    }

    private var file: FleetFile { FleetFile(path: scene.path("state/skyfarm/hosts")) }
    private var home: [String] { (try? FileManager.default.contentsOfDirectory(atPath: scene.path("home"))) ?? ["?"] }

    @Test("starts a node that outlives the session, and down removes it")
    func course() throws {
        let up = try run(["up", "here", "--json", "--", "--listen", "127.0.0.1:0", "--no-advertise", "--slots", "1"])
        #expect(up.code == 0 && up.output.contains(#""state" : "joined""#), "\(up.errors)")
        #expect(home.count == 1)
        let address = try #require(file.nodes.first?.address)
        #expect(try run(["nodes", "--node", "\(address)"]).output.contains("127.0.0.1:"))
        let down = try run(["down"])
        #expect(down.code == 0 && down.errors == "skyfarm: here: stopped, nothing is left\n", "\(down.errors)")
        #expect(home.isEmpty)
        let again = try run(["down", "here"])
        #expect(again.errors == "skyfarm: here: no node of `skyfarm up` is there\n", "\(again.errors)")
    }

    @Test("leaves nothing after a copy that ends early")
    func cut() throws {
        let result = try run(["up", "here"], ssh: "cd '%' && dd bs=64k count=40 2>/dev/null | HOME=$PWD sh")
        #expect(result.code == ExitCode.noUsableNode.rawValue)
        #expect(result.errors.hasPrefix("skyfarm: here: cannot copy the program: "), "\(result.errors)")
        #expect(home.isEmpty)
    }

    @Test("names a node's own error, and leaves nothing")
    func refused() throws {
        let result = try run(["up", "here", "--", "--listen", "203.0.113.1:4870"])
        #expect(result.code == ExitCode.noUsableNode.rawValue)
        #expect(
            result.errors.hasPrefix("skyfarm: here: the node has not started: ")
                && result.errors.contains("cannot listen on 203.0.113.1:4870"), "\(result.errors)")
        #expect(home.isEmpty)
    }

    @Test(
        "checks options of nodes before it logs in",
        arguments: [
            (["--slots", "none"], "--slots"), (["--install-service"], "--install-service"), (["alpha"], "alpha"),
        ])
    func options(words: [String], name: String) throws {
        let result = try run(["up", "here", "--"] + words, ssh: "exit 9")
        #expect(result.code == ExitCode.usage.rawValue && result.errors.contains(name), "\(result.errors)")
    }

    @Test("a host that fails stays listed for the next down, unless it is to be forgotten")
    func forget() throws {
        try file.update(with: [FleetNode(host: "gone", address: .init(host: "127.0.0.1", port: 1), name: "gone-1")])
        let ssh = "echo 'ssh: connect to host gone port 22: No route to host' >&2; exit 255"
        let result = try run(["down"], ssh: ssh)
        #expect(result.code == ExitCode.noUsableNode.rawValue && file.nodes.count == 1)
        #expect(result.errors.contains("gone: ssh: connect to host gone port 22: No route to host"))
        _ = try run(["down", "--forget"], ssh: ssh)
        #expect(file.nodes.isEmpty)
    }
}
