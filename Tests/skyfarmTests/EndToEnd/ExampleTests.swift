import Foundation
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

    @Test("an example is short", arguments: ["primes/Primes.swift", "histogram/Histogram.swift"])
    func length(file: String) throws {
        #expect(try DocumentTests.text("Examples/\(file)").count { $0 == "\n" } <= 60)
    }
}
