import CommandLineKit
import Foundation
import Testing

import Console

/// Processes that die, stop or are told to end while a scan runs.
@Suite("faults during a scan", .serialized) struct FaultTests {
    let scene: Scene
    let image: String
    let nodes: [Node]

    init() throws {
        scene = try Scene()
        image = try scene.sky(size: "5000x5000")
        nodes = [try Node("first"), try Node("second")]
        let expected = try Program.run(["scan", image, "-o", scene.path("expected.fits"), "--band", "128"])
        try #require(expected.code == 0)
    }

    /// Starts a scan on both nodes, and waits until a task is done.
    private func startScan() throws -> Program {
        let program = try Program(
            ["scan", image, "-o", scene.path("out/o.fits"), "--local-slots", "0", "--band", "128"]
                + ["--progress", "json"] + nodes.flatMap { ["--node", $0.address] })
        try program.waitForErrors(#""event":"finished""#)
        return program
    }

    private func expectWhole(_ result: Program.Result) throws {
        #expect(result.code == 0, "\(result.errors)")
        #expect(scene.outputs == ["o.fits"])
        #expect(try scene.bytes("out/o.fits") == scene.bytes("expected.fits"))
    }

    @Test("a node that is killed or hangs is named, and the catalogue is the same", arguments: [SIGKILL, SIGSTOP])
    func lostNode(signal: Int32) throws {
        let program = try startScan()
        nodes[0].program.send(signal)
        let result = try program.finish()
        try expectWhole(result)
        // A hung node's last tasks may be done by the other one before its silence has lasted long enough.
        let isNamed = result.errors.contains("skyfarm: node first left; its tasks are reassigned\n")
        let isOvertaken = result.errors.contains(/"event":"hedged",.*"slow":"first",.*"system":"second"/)
        #expect(isNamed || signal == SIGSTOP && isOvertaken, "\(result.errors)")
    }

    @Test("a node that gets SIGTERM finishes its tasks: nothing is tried again")
    func drainedNode() throws {
        let program = try startScan()
        nodes[0].program.send(SIGTERM)
        try expectWhole(try program.finish())
        #expect(!program.errors.contains(#""event":"retried""#))
        #expect(!program.errors.contains("failed:"), "\(program.errors)")
        let node = try nodes[0].program.finish()
        #expect(node.code == 0, "\(node.errors)")
    }

    @Test("a scan that loses all its nodes ends with an error and no file")
    func allLost() throws {
        let program = try startScan()
        for node in nodes { node.program.send(SIGKILL) }
        let result = try program.finish()
        #expect(result.code == ExitCode.noUsableNode.rawValue, "\(result.errors)")
        #expect(result.errorLines.last?.hasPrefix("skyfarm: scan: ") == true)
        #expect(scene.outputs.isEmpty)
    }

    @Test(
        "a signal ends a scan within 2 s, with its exit code and no file", arguments: Interrupts.Signal.allCases)
    func signals(signal: Interrupts.Signal) throws {
        let program = try startScan()
        program.send(signal.rawValue)
        let result = try program.finish(within: .seconds(2))
        #expect(result.code == signal.exitCode.rawValue)
        #expect(result.errorLines.last?.hasPrefix("skyfarm: scan: stopped; no catalogue was written") == true)
        #expect(scene.outputs.isEmpty)
        // The nodes serve the next one.
        let next = try startScan()
        try expectWhole(try next.finish())
    }
}
