import CommandLineKit
import Foundation
import Testing

import Console

/// What a scan's user learns of a node that fails tasks.
@Suite("errors of a node", .serialized) struct NodeLogTests {
    @Test("name node, attempt and cause, and have the last lines of the node's log below them")
    func failing() throws {
        let scene = try Scene()
        let environment = ["XDG_STATE_HOME": scene.path("state")]
        let node = try Program(path: Program.built("fault-probe"), ["crooked", "weary"])
        let address = try #require(try node.firstLine().split(separator: " ").last.map(String.init))
        let result = try Program.run(
            [
                "scan", try scene.sky(size: "600x512"), "--band", "64", "--local-slots", "0", "--node", address,
                "--max-attempts", "2", "-o", scene.path("out/o.csv"), "--json",
            ], environment: environment)
        // It measured the background of all eight bands, and found sources in none.
        #expect(result.code == ExitCode.partialCatalogue.rawValue, "\(result.errors)")
        let lines = result.errorLines.map(String.init)
        let retried =
            /skyfarm: band [1-8] of 8 \(extraction\): attempt 1 on crooked failed: eight tasks are enough; retrying/
        let first = try #require(lines.firstIndex { $0.wholeMatch(of: retried) != nil }, "\(result.errors)")
        // The same failure of the other bands is counted.
        #expect(lines.count { $0.contains(": attempt 1 on crooked failed: ") } == 1, "\(result.errors)")
        #expect(
            lines.contains("skyfarm: attempts on crooked failed: eight tasks are enough (7 more times)"),
            "\(result.errors)")
        #expect(lines[first + 1].hasPrefix("skyfarm:   crooked: ") && lines[first + 1].contains(" connected from "))
        #expect(
            lines[first + 2].contains(/^skyfarm:   crooked: sky.band\/8 of .* failed in attempt 1, after .* s: eight/),
            "\(result.errors)")
        let cause = "eight tasks are enough (on crooked, attempt 2)"
        let last = try #require(
            lines.firstIndex {
                $0.contains(/^skyfarm: band [1-8] of 8 \(extraction\) failed: eight tasks are enough \(on/)
            },
            "\(result.errors)")
        #expect(lines[last + 1].hasPrefix("skyfarm:   crooked: sky.band/8 of "))

        let missing = try Report(result.output).files.flatMap(\.images).flatMap(\.missing)
        #expect(missing.count == 8)
        for failure in missing {
            #expect(failure.reason == cause)
            #expect(failure.log?.last?.hasPrefix("crooked: sky.band/8 of ") == true)
        }
        let jobs = try Program.run(["jobs"], environment: environment).output.split(separator: "\n")
        let id = try #require(jobs.last?.split(separator: " ").first.map(String.init))
        let failed = try Program.run(["jobs", "show", id, "--failed"], environment: environment).output
        #expect(failed.contains("(extraction): \(cause)\n  crooked: sky.band/8 of "), "\(failed)")
    }
}
