import skyfarm
import CommandLineKit
import Foundation
import Testing

import ScanBench

@Suite("skyfarm bench")
struct BenchCommandTests {
    func options(_ words: [String]) throws -> BenchCommand.Options {
        let parser = CommandLineParser(Skyfarm.program)
        guard case .run(_, let arguments) = try parser.parse(["bench"] + words) else {
            throw Program.Failure(description: "not a run: \(words)")
        }
        return try BenchCommand.Options(arguments)
    }

    @Test("measures everything, or what is named")
    func suites() throws {
        #expect(try options([]).suites == [.dispatch, .latency, .scan])
        #expect(try options(["latency"]).suites == [.latency])
        let scan = try options(["scan", "a.fits", "--node", "a:1", "--local-slots", "0"])
        #expect(scan.suites == [.scan] && scan.image == "a.fits")
        #expect(scan.cluster.nodes.map(\.description) == ["a:1"] && scan.cluster.localSlots == 0)
        #expect(try options(["scan", "--link", "1G", "--link", "100M"]).links.map(\.bitsPerSecond) == [1e9, 1e8])
    }

    @Test(
        "says what can be measured",
        arguments: [
            (["speed"], "unknown measurement \"speed\"; use dispatch, latency or scan, or none for all three"),
            (["dispatch", "a.fits"], "only scan takes an image: skyfarm bench scan a.fits"),
        ])
    func usage(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try options(words) }
    }

    /// Names of the systems in a report of the program.
    private func report(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test("measures this machine and a node, each alone and both together")
    func measures() throws {
        let node = try Node("alpha")
        let result = try Program.run(
            ["bench", "--node", node.address, "--local-slots", "1", "--runs", "1", "--size", "512"]
                + ["--link", "1G", "--json"])
        #expect(result.code == 0, "\(result.errors)")
        let report = try report(result.output)
        let systems = try #require(report["systems"] as? [[String: Any]])
        #expect(systems.map { $0["name"] as? String } == ["local", "alpha"])
        let dispatch = try #require(report["dispatch"] as? [String: Any])
        #expect((dispatch["alone"] as? [Any])?.count == 2 && dispatch["together"] != nil && dispatch["inChunks"] != nil)
        let latency = try #require(report["latency"] as? [String: Any])
        #expect((latency["p50"] as? [Any])?.count == 2)
        let scan = try #require(report["scan"] as? [String: Any])
        #expect(scan["width"] as? Int == 512 && (scan["sources"] as? Int ?? 0) > 0)
        #expect(scan["thisMachine"] != nil)
        #expect((scan["enoughNodes"] as? Int ?? -1) >= 0)
        let model = try #require(scan["model"] as? [String: Any])
        let steps = try #require(model["steps"] as? [[String: Any]])
        // An image of that size is one task.
        #expect(steps.count == 1 && steps[0]["tasks"] as? Int == 1)
        #expect(steps[0]["taskBytes"] as? Int == 512 * 512 * 4)
        #expect((scan["links"] as? [[String: Any]])?.first?["bitsPerSecond"] as? Double == 1e9)
    }

    @Test("scans an image of the user on this machine alone, in words")
    func image() throws {
        let scene = try Scene()
        let path = try scene.sky()
        let result = try Program.run(["bench", "scan", path, "--runs", "1", "--local-slots", "1"])
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.output.contains("\n\nscan: \(path), 600 x 500 pixels in 1 band, median of 1 run\n"))
        #expect(result.output.firstMatch(of: /^a 600 x 500 image takes [0-9.]+ m?s on this machine\n/) != nil)
        #expect(result.output.hasSuffix("run `skyfarm node` on another machine to measure its benefit\n"))
    }

    @Test("forecasts for links without a node, with nodes like this machine and what sending costs this one")
    func links() throws {
        let result = try Program.run(
            ["bench", "scan", "--runs", "1", "--local-slots", "1", "--size", "512", "--link", "1G", "--link", "10G"]
                + ["--no-discovery", "--json"])
        #expect(result.code == 0, "\(result.errors)")
        let scan = try #require(try report(result.output)["scan"] as? [String: Any])
        let links = try #require(scan["links"] as? [[String: Any]])
        #expect(links.map { $0["bitsPerSecond"] as? Double } == [1e9, 1e10])
        #expect(scan["assumesNodes"] as? Bool == true && scan["forecasts"] == nil && scan["link"] == nil)
        let cost = try #require(scan["coordinator"] as? [String: Any])
        for name in ["readSecondsPerPixel", "sendSecondsPerByte", "bytesPerPixel"] {
            #expect((cost[name] as? Double ?? 0) > 0, "\(name)")
        }
    }

    @Test("without a system to measure, or an image to scan, the exit code says so")
    func nothing() throws {
        let alone = try Program.run(["bench", "dispatch", "--local-slots", "0"])
        #expect(alone.code == 3 && alone.output.isEmpty && alone.errorLines.count == 1)
        let missing = try Program.run(["bench", "scan", "/nonexistent/a.fits", "--local-slots", "1"])
        #expect(missing.code == 5 && missing.output.isEmpty)
    }

    @Test("a signal stops it")
    func stopped() throws {
        let program = try Program(["bench", "--local-slots", "1", "--runs", "1000"])
        try program.waitForErrors("measuring dispatch")
        program.send(SIGINT)
        let result = try program.finish()
        #expect(result.code == 130 && result.errors.hasSuffix("skyfarm: bench: stopped\n"))
    }

    @Test("leaves no synthetic image behind, whether stopped by one signal or two", arguments: [1, 2])
    func stopped(signals: Int) throws {
        let scene = try Scene()
        let program = try Program(
            ["bench", "scan", "--size", "20000", "--local-slots", "1"], environment: ["TMPDIR": scene.path("out")])
        try program.waitForErrors("scanning a synthetic image")
        for _ in 0..<signals { program.send(SIGINT) }
        let result = try program.finish()
        #expect(result.code == 130)
        #expect(scene.outputs.isEmpty, "\(scene.outputs)")
    }
}
