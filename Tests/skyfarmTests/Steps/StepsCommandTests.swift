import Foundation
import Testing

@testable import StepsCommand

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

    /// Writes a file of one step.
    private func step(_ command: String, _ name: String = "one.toml") throws -> String {
        try scene.write(Array("[[step]]\nname = \"s\"\ncommand = \"\(command)\"\n".utf8), name)
    }

    private func run(file: String, _ words: [String] = []) throws -> Program.Result {
        try Program.run(["run", file] + words, environment: environment)
    }

    @Test(
        "a step whose command or inputs have changed replaces what it has written, and no other file",
        arguments: [
            "scan raw -o FOLDER/{stem}.csv --no-discovery", "scan raw/i1.fits -o FOLDER/i1.csv --no-discovery",
            "calibrate raw/i1.fits raw/i2.fits -o FOLDER/ --bias raw/i3.fits", "combine raw -o FOLDER/i1.fits",
            "map work {in} -o FOLDER/ --no-discovery --local-slots 1 --local-program work=/bin/cat -- raw/",
        ])
    func foreign(command: String) throws {
        func file(_ folder: String) throws -> String {
            try step(command.replacingOccurrences(of: "FOLDER", with: folder))
        }
        for folder in ["cat", "mine"] { mkdir(scene.path(folder), 0o700) }
        let first = try run(file: file("cat"))
        #expect(first.code == 0, "\(first.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: scene.path("cat")).sorted()
        // The command of the step has other results now.
        for name in names { _ = try scene.write(Array("mine".utf8), "mine/\(name)") }
        let refused = try run(file: file("mine"))
        #expect(refused.code == 6 && refused.errors.contains("exists already"), "\(refused.errors)")
        for name in names { #expect(try scene.bytes("mine/\(name)") == Data("mine".utf8)) }
        // It has the first ones again.
        _ = try scene.sky("raw/i1.fits", size: "300x200", ["--seed", "9", "--overwrite"])
        let again = try run(file: file("cat"))
        #expect(again.code == 0, "\(again.errors)")
        let fresh = try run(file: file("cat"), ["--fresh"])
        #expect(fresh.code == 0 && fresh.errors.contains("1 of 1 step run"), "\(fresh.errors)")
        let changed = "cat/\(names[0])"
        _ = try scene.write(Array("edited".utf8), changed)
        let kept = try run(file: file("cat"))
        #expect(kept.code == 6 && kept.errors.contains("was changed since the step has written it"), "\(kept.errors)")
        #expect(try scene.bytes(changed) == Data("edited".utf8))
        unlink(scene.path(changed))
        let last = try run(file: file("cat"))
        #expect(last.code == 0 && FileManager.default.fileExists(atPath: scene.path(changed)), "\(last.errors)")
    }

    @Test("a step that was stopped before it wrote anew goes on")
    func stoppedBeforeWriting() throws {
        let file = try step("scan raw/i1.fits -o cat/i1.csv --no-discovery")
        mkdir(scene.path("cat"), 0o700)
        #expect(try run(file: file).code == 0)
        let before = try scene.bytes("cat/i1.csv")
        // As a run with other inputs leaves it that was killed before it wrote: a record, and no journal of the scan.
        _ = try scene.sky("raw/i1.fits", size: "300x200", ["--seed", "9", "--overwrite"])
        let state = scene.path("state/skyfarm/steps")
        let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: state).first)
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(state)/\(folder)")
        let record = URL(filePath: "\(state)/\(folder)/\(try #require(names.first { $0.hasSuffix(".json") }))")
        let last = try JSONDecoder().decode(StepRecord.self, from: Data(contentsOf: record))
        let step = Step(name: "s", verb: .scan, words: [scene.path("raw/i1.fits")], after: [])
        let begun = StepRecord(command: last.command, inputs: try StepRecord(of: step, after: nil) {}.inputs)
        try JSONEncoder().encode(begun).write(to: record)
        for name in try FileManager.default.contentsOfDirectory(atPath: scene.path("state/skyfarm"))
        where name != "steps" {
            try FileManager.default.removeItem(atPath: scene.path("state/skyfarm/\(name)"))
        }
        let again = try run(file: file)
        #expect(try again.code == 0 && scene.bytes("cat/i1.csv") != before, "\(again.errors)")
    }

    @Test("a signal while the inputs are read ends the run before the step begins", arguments: [SIGTERM, SIGINT])
    func stoppedWhileReading(signal: Int32) throws {
        let file = try step("scan big.fits -o cat/big.csv --no-discovery")
        let big = open(try scene.write([], "big.fits"), O_WRONLY | O_CLOEXEC)
        // Without blocks on disk; reading it takes many seconds.
        #expect(ftruncate(big, 64 << 30) == 0)
        close(big)
        let process = try Program(["run", file], environment: environment)
        let folder = "/proc/\(process.process)/fd"
        func isReading() -> Bool {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.contains { name in
                let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
                return file?.hasSuffix("/big.fits") == true
            }
        }
        let end = ContinuousClock.now + Program.limit
        while !isReading(), .now < end { usleep(1000) }
        process.send(signal)
        let result = try process.finish()
        #expect(result.code == 128 + signal && result.errors.contains("run: stopped"), "\(result.errors)")
        #expect(!result.errors.contains("step s:"), "\(result.errors)")
    }

    @Test("a dry run has a line for each step, also if names have line ends")
    func dryRun() throws {
        mkdir(scene.path("odd"), 0o700)
        _ = try scene.sky("odd/a\nscan: done.fits", size: "300x200")
        let file = try step("scan odd -o cat/{stem}.csv --no-discovery")
        #expect(try run(file: file).code == 0)
        _ = try scene.sky("odd/a\nscan: done.fits", size: "300x200", ["--seed", "9", "--overwrite"])
        let shown = try run(file: file, ["--dry-run"])
        #expect(shown.code == 0 && shown.output.split(separator: "\n").count == 1, "\(shown.output)")
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
