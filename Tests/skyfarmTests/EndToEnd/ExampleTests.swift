import Foundation
import ScanBasics
import Testing

/// The programs of Examples: a node and a job on it, as processes.
@Suite struct ExampleTests {
    private static func node(_ name: String) throws -> (program: Program, address: String) {
        let program = try Program(path: Program.built(name), ["node", "127.0.0.1:0"])
        let line = try program.firstLine()
        guard line.hasPrefix("ready ") else { throw Program.Failure(description: "\(name): \(line)") }
        return (program, String(line.dropFirst("ready ".count)))
    }

    private static func run(_ name: String, _ words: [String]) throws -> String {
        try Program.run(path: Program.built(name), words).output
    }

    private static func nodes(_ address: String, _ words: String...) throws -> Program.Result {
        try Program.run(["nodes", "--node", address] + words)
    }

    @Test("primes counts the primes; its node ends in order on SIGTERM")
    func primes() throws {
        let (program, address) = try Self.node("primes")
        #expect(try Self.run("primes", ["count", "--node", address]) == "664579 primes below 10000000\n")
        program.send(SIGTERM)
        #expect(try program.finish().code == 0)
    }

    @Test("histogram counts the bytes of a file; a node of another program is named at once")
    func histogram() throws {
        let scene = try Scene()
        let path = scene.path("bytes")
        // Three pieces, the last one short.
        let bytes = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 7) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let (program, address) = try Self.node("histogram")
        let expected = Dictionary(grouping: bytes, by: \.self).map { ($0, $1.count) }.sorted { $0 < $1 }
        #expect(
            try Self.run("histogram", ["count", path, address])
                == expected.map { "\($0) \($1)\n" }.joined())
        let refused = try Program.run(path: Program.built("primes"), ["count", address])
        #expect(refused.code == 1 && refused.output.isEmpty && refused.errorLines.count == 1)
        #expect(
            refused.errors.hasPrefix(
                "primes: \(address): has no task type 'example.primes/1': it runs another program"))
        #expect(try Self.nodes(address).code == 3)
        #expect(try Self.nodes(address).output.contains("cannot be used: has no task type 'sky.image/"))
        #expect(try Self.nodes(address, "--scanner", "example.histogram/1").code == 0)
        let other = try Self.nodes(address, "--scanner", "example.histogram/1", "--scanner", "example.primes/1")
        #expect(other.output.contains("cannot be used: has no task type 'example.primes/1'"))
        program.send(SIGTERM)
        #expect(try program.finish().code == 0)
    }

    /// Starts a node of an example that says "ready" on standard error; `further` lines come before.
    private static func sayingNode(_ name: String) throws -> (program: Program, address: String) {
        let program = try Program(path: Program.built(name), ["node", "127.0.0.1:0"])
        try program.wait("the whole address") { $0.contains(/ready \S+\n/) }
        return (program, String(program.errors.firstMatch(of: /ready (\S+)\n/)?.output.1 ?? ""))
    }

    @Test("hashes prints those of sha256sum, and makes none again that it had when it was killed, whenever that was")
    func hashes() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("hashes: seed \(seed)")
        var generator = SplitMix64(seed: seed)
        let scene = try Scene()
        let folder = scene.path("files")
        try FileManager.default.createDirectory(atPath: folder + "/below", withIntermediateDirectories: true)
        let count = 200
        for number in 0..<count {
            // Empty ones, and lengths around that of a block.
            let bytes = Data(
                (0..<(number < 130 ? number : 40_000)).map { _ in UInt8.random(in: 0...255, using: &generator) })
            try bytes.write(to: URL(fileURLWithPath: "\(folder)/below/\(number)"))
        }
        let sum = "cd '\(folder)' && find . -type f -printf '%P\\0' | LC_ALL=C sort -z | xargs -0 sha256sum"
        let expected = try Program.run(path: "/bin/sh", ["-c", sum]).output
        let (node, address) = try Self.sayingNode("hashes")
        let link = try #require(
            node.errors.firstMatch(of: /page at (\S+)\n/).flatMap { URL(string: String($0.output.1)) })
        func made() throws -> Int {
            let text = try DashboardTests.fetch("/metrics?\(link.query() ?? "")", link).text
            let line = text.firstMatch(of: /\nskyfarm_tasks_done_total{type="example.hashes\/1"} (\d+)\n/)
            return Int(line?.output.1 ?? "0") ?? -1
        }
        let words = ["sum", folder, scene.path("journal"), address]
        for round in 0..<6 {
            let moment = Int.random(in: 0...count, using: &generator)
            let program = try Program(path: Program.built("hashes"), words)
            try program.wait("\(moment) hashes") { $0.count { $0 == "\n" } >= moment }
            program.send(SIGKILL)
            let recorded = try program.finish().errors.count { $0 == "\n" }
            let before = try made()
            let result = try Program.run(path: Program.built("hashes"), words)
            #expect(result.code == 0 && result.output == expected, "\(result.errors.suffix(200))")
            let again = try made() - before
            // A task of the killed run may still run on the node.
            #expect(recorded + again <= count + 2, "round \(round): \(recorded) recorded, \(again) made again")
            #expect(try Program.run(path: Program.built("hashes"), words).output == expected)
            try FileManager.default.removeItem(atPath: scene.path("journal"))
        }
        node.send(SIGTERM)
        #expect(try node.finish().code == 0)
        let wrong = try Program.run(path: Program.built("hashes"), ["sum", folder, "/dev/null/journal", address])
        #expect(wrong.code == 1 && wrong.errorLines.count == 1, "\(wrong.errors)")
    }

    @Test("render makes the same image on a node as without one, and prints the link of its page")
    func render() throws {
        let scene = try Scene()
        let (node, address) = try Self.sayingNode("render")
        let result = try Program.run(path: Program.built("render"), ["image", scene.path("set.ppm"), address])
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.errors.contains(/^page at http:\/\/127.0.0.1:\d+\/\?token=/))
        #expect(result.errorLines.last?.hasPrefix("100 %, ") == true, "\(result.errors)")
        let image = try scene.bytes("set.ppm")
        #expect(image.count == 3 * 2048 * 2048 + "P6 2048 2048 255\n".count && image.starts(with: Data("P6 ".utf8)))
        // The set is symmetric: a row and its reflection are the same.
        let rows = image.suffix(3 * 2048 * 2048)
        let row = { (number: Int) in
            rows.dropFirst(3 * 2048 * number).prefix(3 * 2048).elementsEqual(
                rows.dropFirst(3 * 2048 * (2048 - number)).prefix(3 * 2048))
        }
        #expect((1..<1024).allSatisfy(row))
        node.send(SIGTERM)
        #expect(try node.finish().code == 0)
    }

    @Test(
        "an example is short and has a page about it, which names it",
        arguments: zip(
            ["primes/Primes.swift", "histogram/Histogram.swift", "hashes/Hashes.swift", "render/Render.swift"],
            [60, 60, 90, 90]))
    func length(file: String, lines: Int) throws {
        #expect(try DocumentTests.text("Examples/\(file)").count { $0 == "\n" } <= lines)
        let parts = file.split(separator: "/")
        #expect(try DocumentTests.text("Examples/\(parts[0])/README.md").contains("(\(parts[1]))"))
        #expect(try DocumentTests.text("Docs/Library.md").contains("Examples/\(file)"))
    }
}
