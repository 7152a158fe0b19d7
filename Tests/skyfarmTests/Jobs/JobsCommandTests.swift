import Foundation
import Testing
import skyfarm

/// `skyfarm jobs` with the built program.
@Suite("jobs", .timeLimit(.minutes(10)), .serialized) struct JobsCommandTests {
    let scene: Scene

    init() throws { scene = try Scene() }

    private func run(_ words: String...) throws -> Program.Result {
        try Program.run(words, environment: ["XDG_STATE_HOME": scene.path("state")])
    }

    private func stoppedScan(_ image: String, _ signal: Int32) throws -> Program.Result {
        let program = try Program(
            ["scan", image, "-o", scene.path("out/o.csv"), "--band", "64", "--progress", "json"],
            environment: ["XDG_STATE_HOME": scene.path("state")])
        try program.waitForErrors(#""event":"finished""#)
        program.send(signal)
        return try program.finish(within: .seconds(3))
    }

    @Test("a stopped scan says how to go on, is listed, resumed by its ID from any folder, and then finished")
    func stopped() throws {
        let image = try scene.sky(size: "2000x2000")
        let stopped = try stoppedScan(image, SIGINT)
        #expect(stopped.code == 130)
        let words = stopped.errorLines.last?.split(separator: " ") ?? []
        let place = try #require(words.firstIndex(of: "job"), "\(stopped.errors)")
        let id = String(words[place + 1].dropLast())
        #expect(stopped.errorLines.last?.hasSuffix("run the same command again to resume") == true)

        #expect(try run("jobs").output.contains("\(id)  unfinished"))
        let shown = try run("jobs", "show", id, "--json").output
        #expect(shown.contains(#""state" : "unfinished""#) && shown.contains(#""command" : "skyfarm scan "#))
        #expect(try run("jobs", "show", id, "--failed").output == "nothing failed\n")
        let resumed = try run("jobs", "resume", String(id.prefix(5)))
        #expect(resumed.code == 0 && resumed.errors.contains("resumed from the journal"), "\(resumed.errors)")
        #expect(scene.outputs == ["o.csv"])
        let finished = try run("jobs").output
        #expect(finished.contains("\(id)  finished") && finished.contains(scene.path("out/o.csv")), "\(finished)")
        let job = try #require(try listing().first)
        #expect(job.tasksDone > 0 && job.tasksDone == job.tasksTotal)
        #expect(finished.contains(" \(job.tasksDone)/\(job.tasksDone) ") && finished.contains(" s  "))
        #expect(job.outputs == [scene.path("out/o.csv")] && job.image == image && (job.sources ?? 0) > 0)
        #expect(try run("jobs", "resume", id).code == 1)
        #expect(try run("jobs", "remove", id).code == 0)
        #expect(try run("jobs").output == "no jobs\n")
    }

    private struct Job: Decodable {
        var state: String
        var image: String
        var tasksDone: Int
        var tasksTotal: Int?
        var sources: Int?
        var ageSeconds: Double
        var outputs: [String]
    }

    private func listing() throws -> [Job] {
        struct Listing: Decodable { var jobs: [Job] }
        return try JSONDecoder().decode(Listing.self, from: Data(try run("jobs", "--json").output.utf8)).jobs
    }

    @Test("of an unfinished job the number of tasks is that of its bands")
    func unfinishedTasks() throws {
        let image = try scene.sky(size: "2000x2000")
        #expect(try stoppedScan(image, SIGTERM).code == 143)
        let job = try #require(try listing().first)
        #expect(job.state == "unfinished" && (1..<64).contains(job.tasksDone) && job.ageSeconds < 600)
        // Background and extraction of 32 bands, and any windows of cut sources.
        #expect((job.tasksTotal ?? 0) >= 64)
    }

    @Test("a finished scan is listed, and a rerun that fails leaves it so")
    func finished() throws {
        let image = try scene.sky()
        let environment = ["XDG_STATE_HOME": scene.path("state")]
        let words = ["scan", image, "-o", scene.path("out/o.csv"), "--quiet", "--band", "64"]
        #expect(try Program.run(words, environment: environment).code == 0)
        let first = try #require(try listing().first)
        #expect(first.state == "finished" && first.tasksDone == first.tasksTotal && first.tasksDone >= 1)
        #expect(try run("scan", image, "-o", scene.path("out/o.csv"), "--local-slots", "0", "--band", "64").code != 0)
        let other = scene.path("out/p.csv")
        #expect(
            try run("scan", image, "-o", other, "--local-slots", "0", "--node", "127.0.0.1:1", "--band", "64").code == 3
        )
        let again = try #require(try listing().first)
        #expect(again.state == "finished" && again.sources == first.sources && again.outputs == first.outputs)
    }

    @Test("a scan of one task that takes less than a second leaves no record")
    func short() throws {
        let image = try scene.sky(size: "64x64")
        #expect(try run("scan", image, "-o", scene.path("out/o.csv"), "--quiet").code == 0)
        #expect(try run("jobs").output == "no jobs\n")
    }

    @Test("all finished jobs are removed at once, unfinished ones only after a question or with --yes")
    func removeAll() throws {
        let small = try scene.sky()
        #expect(try run("scan", small, "-o", scene.path("out/s.csv"), "--quiet", "--band", "64").code == 0)
        #expect(try run("jobs", "remove", "--all").errors == "removed 1 job\n")
        let image = try scene.sky("large.fits", size: "2000x2000")
        #expect(try stoppedScan(image, SIGTERM).code == 143)
        let refused = try run("jobs", "remove", "--all")
        #expect(refused.code == 1 && refused.errors.contains("1 unfinished job: results would be lost; add --yes"))
        #expect(try listing().count == 1)
        #expect(try run("jobs", "remove", "--all", "--yes").code == 0)
        #expect(try listing().isEmpty)
    }

    @Test(
        "the question on a terminal is answered with y or nothing",
        .enabled(if: Tmux.path != nil, Comment(rawValue: Tmux.absent)))
    func question() throws {
        let image = try scene.sky(size: "2000x2000")
        #expect(try stoppedScan(image, SIGTERM).code == 143)
        for (key, code, count) in [("Enter", "1", 1), ("y", "0", 0)] {
            let terminal = try Tmux(
                environment: ["XDG_STATE_HOME": scene.path("state")], "'\(Program.path)' jobs remove --all")
            try terminal.wait("the question") { $0.contains { $0.hasPrefix("remove 1 unfinished job, with") } }
            try terminal.press(key)
            if key != "Enter" { try terminal.press("Enter") }
            #expect(try terminal.waitForEnd().code == code)
            #expect(try listing().count == count)
        }
    }

    @Test("a second process of the same job reports which one runs it")
    func twice() throws {
        let image = try scene.sky(size: "2000x2000")
        let words = ["scan", image, "-o", scene.path("out/o.csv"), "--band", "64", "--progress", "json"]
        let environment = ["XDG_STATE_HOME": scene.path("state")]
        let program = try Program(words, environment: environment)
        try program.waitForErrors(#""event":"finished""#)
        // Held, so that it cannot end before the second one has looked.
        program.send(SIGSTOP)
        let second = try Program.run(words, environment: environment)
        program.send(SIGCONT)
        #expect(second.code == 1)
        #expect(second.errors.contains("process \(program.process) runs this job already"), "\(second.errors)")
        #expect(try program.finish().code == 0)
    }

    @Test("nothing is kept with --no-journal, and what was kept is forgotten with --fresh")
    func options() throws {
        let image = try scene.sky(size: "2000x2000")
        let output = scene.path("out/o.csv")
        #expect(try run("scan", image, "-o", output, "--no-journal", "--quiet").code == 0)
        #expect(try run("jobs").output == "no jobs\n")
        try FileManager.default.removeItem(atPath: output)
        #expect(try stoppedScan(image, SIGTERM).code == 143)
        let words = ["scan", image, "-o", output, "--band", "64", "--fresh", "--overwrite", "--json"]
        let fresh = try Program.run(words, environment: ["XDG_STATE_HOME": scene.path("state")])
        #expect(try Report(fresh.output).tasks.resumed == 0)
    }

    @Test(
        "what makes no sense is a usage error",
        arguments: [
            ["shwo"], ["show"], ["remove"], ["list", "1"], ["remove", "1", "--all"], ["--all"],
            ["remove", "1", "--failed"], ["remove", "1", "--yes"], ["--yes"],
        ])
    func usage(words: [String]) async {
        #expect(await Skyfarm.run(["jobs"] + words, environment: ["HOME": scene.folder]) == .usage)
    }

    @Test("an unknown ID is an error that says where to look")
    func unknown() throws {
        let result = try run("jobs", "show", "0")
        #expect(result.code == 1 && result.errors == "skyfarm: no job has the ID 0; `skyfarm jobs` lists them\n")
    }
}
