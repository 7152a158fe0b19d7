import CommandLineKit
import Foundation
import Testing

/// Names of nodes that last, and the words that select nodes, as a user meets them.
@Suite("names of nodes in commands", .serialized, .timeLimit(.minutes(10))) struct NodeSelectionTests {
    let scene: Scene

    init() throws { scene = try Scene() }

    /// Starts a node without a name.
    private func node(_ further: [String] = [], state: String = "state") throws -> (program: Program, name: String) {
        let program = try Program(
            ["node", "--slots", "1", "--listen", "127.0.0.1:0"] + further,
            environment: ["XDG_STATE_HOME": scene.path(state)])
        let words = try program.firstLine().split(separator: " ")
        try #require(words.count == 5)
        return (program, String(words[1]))
    }

    private func kill(_ program: Program) throws {
        program.send(SIGKILL)
        _ = try program.finish()
    }

    @Test("two nodes of a machine have the same names after they were killed and started again")
    func lasting() throws {
        let (first, second) = (try node(), try node())
        #expect(second.name.hasPrefix(first.name + "-") && !first.name.contains("."))
        try kill(second.program)
        let again = try node()
        #expect(again.name == second.name)
        try kill(first.program)
        #expect(try node().name == first.name)
        // A name that the user gives stays as it is.
        #expect(try node(["--name", first.name]).name == first.name)
    }

    @Test("a node whose name cannot be kept starts, and says that the name does not last")
    func unkept() throws {
        _ = try scene.write([], "file")
        let node = try node(state: "file")
        #expect(node.name.contains(#/-[0-9a-f]{4}$/#))
        try node.program.waitForErrors("the name \(node.name) lasts until this node ends: ")
    }

    @Test(
        "the beginning of a name selects a node wherever a node is named; an ambiguous one is an error with all candidates"
    )
    func beginnings() throws {
        try FileManager.default.createDirectory(atPath: scene.path("data"), withIntermediateDirectories: true)
        let image = try scene.sky("data/sky.fits")
        let nodes = [
            try Node("lab-one", ["--data", scene.path("data"), "--accept-jobs", scene.folder]),
            try Node("lab-two", ["--data", scene.path("data"), "--store", scene.path("out")]),
        ]
        let reach = nodes.flatMap { ["--node", $0.address] }
        func run(_ words: [String]) throws -> Program.Result {
            try Program.run(words + reach, environment: ["XDG_STATE_HOME": scene.path("state")])
        }
        let output = ["--no-journal", "--overwrite", "-o", scene.path("out/o.csv")]
        let scan = ["scan", image, "--local-slots", "0", "--json"] + output
        for (command, isAmbiguous) in [
            (scan + ["--only", "lab"], "--only lab"), (scan + ["--exclude", "lab-"], "--exclude lab-"),
            (["scan", "lab:\(image)"] + output, "lab"), (["nodes", "pause", "lab-"], "lab-"),
            (["submit", image, "-o", scene.path("x.csv"), "--on", "l"], "l"),
            (["spread", image, "--to", "lab"], "lab"),
            (["bench", "latency", "--runs", "1", "--only", "lab"], "--only lab"),
        ] {
            let result = try run(command)
            #expect(result.code == ExitCode.usage.rawValue, "\(command): \(result.errors)")
            let line = result.errorLines.last.map(String.init) ?? ""
            #expect(line.contains("\(isAmbiguous) could be lab-one"), "\(line)")
            #expect(line.contains(" or lab-two") && line.hasSuffix("; give more of the name"), "\(line)")
        }
        for (command, name) in [(scan + ["--only", "lab-o"], "lab-one"), (scan + ["--exclude", "lab-o"], "lab-two")] {
            let result = try run(command)
            #expect(result.code == 0, "\(result.errors)")
            #expect(try Report(result.output).systems.map(\.name) == [name])
        }
        let there = try run(["scan", "lab-t:\(image)"] + output)
        #expect(there.code == 0 && there.errors.contains("lab-two:\(image): "), "\(there.errors)")
        #expect(try run(["nodes", "pause", "lab-t"]).output.hasPrefix("lab-two  paused: "))
        let job = try run(["submit", image, "-o", scene.path("x.csv"), "--on", "lab-o", "--no-discovery"])
        #expect(job.code == 0, "\(job.errors)")
        #expect(try run(["spread", image, "--to", "lab-t", "--dry-run"]).output.contains("lab-two"))
    }

    @Test("two nodes of one name are two nodes: a scan uses both, an order must tell which one")
    func twins() throws {
        let twins = [try Node("twin"), try Node("twin")]
        let reach = twins.flatMap { ["--node", $0.address] }
        let image = try scene.sky(size: "1500x1500")
        let words = ["scan", image, "--no-journal", "--band", "64", "-o"]
        let expected = try Program.run(words + [scene.path("expected.csv")])
        let scan = try Program.run(words + [scene.path("out/o.csv"), "--local-slots", "0", "--json"] + reach)
        #expect(expected.code == 0 && scan.code == 0, "\(scan.errors)")
        #expect(try scene.bytes("out/o.csv") == scene.bytes("expected.csv"))
        #expect(try Set(Report(scan.output).systems.map(\.name)).count == 2)
        let order = try Program.run(["nodes", "pause", "twin"] + reach)
        #expect(order.code == ExitCode.usage.rawValue, "\(order.errors)")
        for twin in twins { #expect(order.errors.contains("twin (\(twin.address))"), "\(order.errors)") }
        let one = try Program.run(["nodes", "pause", twins[0].address])
        #expect(one.code == 0)
        let listed = try Program.run(["nodes"] + reach)
        #expect(listed.output.components(separatedBy: "cannot be used").count == 2, "\(listed.output)")
    }

    @Test("a node that is given by several addresses is listed and measured once, and nothing is said of the others")
    func addresses() throws {
        let node = try Node("only")
        let port = node.address.split(separator: ":").last ?? ""
        let reach = ["--node", node.address, "--node", "localhost:\(port)"]
        let listed = try Program.run(["nodes"] + reach)
        #expect(listed.code == 0 && listed.output.components(separatedBy: "only").count == 2, "\(listed.output)")
        let bench = try Program.run(["bench", "latency", "--runs", "1", "--local-slots", "0"] + reach)
        #expect(bench.code == 0 && bench.output.components(separatedBy: "only").count == 2, "\(bench.output)")
        let scan = try Program.run(["scan", try scene.sky(), "--no-journal", "-o", scene.path("out/o.csv")] + reach)
        #expect(scan.code == 0 && !scan.errors.contains("the same node"), "\(scan.errors)")
    }
}
