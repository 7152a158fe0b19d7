import Foundation
import Testing

/// `skyfarm run` with steps on this machine.
@Suite("steps", .timeLimit(.minutes(10))) struct StepsCommandTests {
    let scene: Scene
    let environment: [String: String]

    init() throws {
        scene = try Scene()
        environment = ["XDG_STATE_HOME": scene.path("state"), "XDG_CONFIG_HOME": scene.path("config")]
        mkdir(scene.path("raw"), 0o700)
        for number in 1...3 { _ = try scene.sky("raw/i\(number).fits", size: "300x200", ["--seed", "\(number)"]) }
        let work = try scene.script(
            "echo $1 >>'\(scene.path("ran"))'; test -e '\(scene.path("bad"))' && exit 4; wc -l <$1", "work.sh")
        let text = """
            [variables]
            night = "raw"
            [[step]]
            name = "count"
            after = ["scan"]
            command = ["map", "work", "{in}", "-o", "out/", "--no-discovery", "--local-slots", "1",
                "--local-program", "work=\(work)", "--", "cat/"]
            [[step]]
            name = "scan"
            command = "scan ${night} -o cat/{stem}.csv --no-discovery"
            """
        _ = try scene.write(Array(text.utf8), "night.toml")
    }

    private func run(_ words: [String] = []) throws -> Program.Result {
        try Program.run(["run", scene.path("night.toml")] + words, environment: environment)
    }

    /// Names of the inputs on which the program ran since the last call.
    private func ran() -> [String] {
        let text = (try? String(contentsOfFile: scene.path("ran"), encoding: .utf8)) ?? ""
        unlink(scene.path("ran"))
        return text.split(separator: "\n").map(String.init).sorted()
    }

    @Test("steps run in order and once; then only what is missing or changed")
    func resumed() throws {
        let before = try run(["--dry-run"])
        #expect(before.output.contains("scan: runs, it has not run yet: skyfarm scan raw -o"), "\(before)")
        #expect(before.output.contains("count: may run, after step scan"))
        let first = try run(["--json"])
        #expect(first.code == 0 && first.output.contains(#""state" : "ran""#), "\(first.errors)")
        #expect(scene.outputs == ["i1.out", "i2.out", "i3.out"] && ran() == ["i1.csv", "i2.csv", "i3.csv"])
        let second = try run()
        #expect(second.code == 0 && second.errors.contains("0 of 2 steps run, 2 done before"), "\(second.errors)")
        #expect(ran().isEmpty)
        unlink(scene.path("out/i2.out"))
        #expect(try run(["--dry-run"]).output.contains("count: runs, the result") && ran().isEmpty)
        #expect(try run().code == 0 && ran() == ["i2.csv"])
        // A catalogue that is the same again is no change.
        let bytes = try scene.bytes("raw/i1.fits")
        _ = try scene.write(bytes, "raw/i1.fits")
        let third = try run()
        #expect(third.errors.contains("2 done before"), "\(third.errors)")
        _ = try scene.sky("raw/i1.fits", size: "300x200", ["--seed", "9", "--overwrite"])
        let fourth = try run()
        #expect(fourth.code == 0 && ran().contains("i1.csv"), "\(fourth.errors)")
        #expect(fourth.errors.contains("2 of 2 steps run"))
    }

    @Test("a step that fails is named, those after it do not run, and the same command goes on")
    func failed() throws {
        _ = try scene.write([], "bad")
        let first = try run(["--json"])
        #expect(first.code == 23 && first.errors.contains("step count failed with exit code 23"), "\(first.errors)")
        unlink(scene.path("bad"))
        #expect(ran().count == 3)
        let second = try run()
        #expect(second.code == 0 && second.errors.contains("step count: it did not end well"), "\(second.errors)")
        #expect(ran().count == 3)
        // A file that no step has written is not replaced.
        let foreign = try Scene()
        _ = try foreign.write(Array("[[step]]\nname = \"s\"\ncommand = \"scan raw -o cat/{stem}.csv\"".utf8), "n.toml")
        try FileManager.default.copyItem(atPath: scene.path("raw"), toPath: foreign.path("raw"))
        mkdir(foreign.path("cat"), 0o700)
        _ = try foreign.write(Array("mine".utf8), "cat/i2.csv")
        for _ in 1...2 {
            let refused = try Program.run(["run", foreign.path("n.toml")], environment: environment)
            #expect(refused.code != 0 && refused.errors.contains("exists already"), "\(refused.errors)")
            #expect(try foreign.bytes("cat/i2.csv") == Data("mine".utf8))
        }
    }

    /// A file of one step, whose program waits for the file `go` at the second input.
    private func waitingStep() throws -> String {
        let work = try scene.script(
            "echo $1 >>'\(scene.path("ran"))'; test $1 = i2.fits && while ! test -e '\(scene.path("go"))'; do"
                + " sleep 0.05; done; wc -c <$1", "wait.sh")
        let text = """
            [[step]]
            name = "count"
            command = ["map", "work", "{in}", "-o", "out/", "--no-discovery", "--local-slots", "1",
                "--local-program", "work=\(work)", "--", "raw/"]
            """
        return try scene.write(Array(text.utf8), "wait.toml")
    }

    private func waitForFirstResult() {
        let end = ContinuousClock.now + Program.limit
        while scene.outputs != ["i1.out"], .now < end { usleep(5000) }
    }

    @Test("Ctrl-C stops the step that runs, and the same command goes on with what is missing")
    func interrupted() throws {
        let file = try waitingStep()
        let first = try Program(["run", file], environment: environment)
        waitForFirstResult()
        first.send(SIGINT)
        let result = try first.finish()
        #expect(result.code == 130 && result.errors.contains("the same command goes on"), "\(result.errors)")
        #expect(!result.errors.contains("failed"))
        _ = try scene.write([], "go")
        let second = try Program.run(["run", file], environment: environment)
        #expect(second.code == 0 && scene.outputs.count == 3, "\(second.errors)")
        #expect(ran().count { $0 == "i1.fits" } == 1)
    }

    @Test("while the step of a run that was killed still runs, another run of the same steps waits for nothing")
    func killed() throws {
        let file = try waitingStep()
        let first = try Program(["run", file], environment: environment)
        waitForFirstResult()
        first.send(SIGKILL)
        let busy = try Program.run(["run", file], environment: environment)
        #expect(busy.code == 1 && busy.errors.contains("a step of a run that was killed"), "\(busy.errors)")
        _ = try scene.write([], "go")
        // Its standard error is closed when the step has ended.
        _ = try first.finish()
        let second = try Program.run(["run", file], environment: environment)
        #expect(second.code == 0 && scene.outputs.count == 3, "\(second.errors)")
        #expect(ran() == ["i1.fits", "i2.fits", "i3.fits"])
    }
}
