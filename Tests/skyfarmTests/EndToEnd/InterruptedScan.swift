import Foundation
import Testing

/// A scan of several files with nodes, of which one is lost, or which is killed itself.
struct InterruptedScan {
    /// The command with its inputs and nodes, without outputs.
    let words: [String]
    let environment: [String: String]

    /// Kills a node once a file is done; the scan ends well.
    func lose(_ node: Node, _ outputs: [String]) throws {
        let scan = try begin(["--no-journal", "--local-slots", "1"] + outputs)
        node.program.send(SIGKILL)
        #expect(try scan.finish().code == 0)
    }

    /// Kills the scan once a file is done, and runs the same command again, which ends well.
    func killAndRepeat(_ outputs: [String]) throws {
        let further = ["--local-slots", "0"] + outputs
        let scan = try begin(further)
        scan.send(SIGKILL)
        _ = try scan.finish()
        let result = try Program.run(words + further, environment: environment)
        #expect(result.code == 0, "\(words + further): \(result.errors)")
    }

    private func begin(_ further: [String]) throws -> Program {
        let scan = try Program(words + further + ["--progress", "json"], environment: environment)
        try scan.wait("a file") { $0.contains(#""event":"file-ended""#) }
        return scan
    }
}
