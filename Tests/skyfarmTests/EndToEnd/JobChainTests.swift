import CommandLineKit
import Foundation
import Testing

import ImageJobs

/// Submitted jobs that begin after others.
@Suite("chains of jobs", .serialized, .timeLimit(.minutes(10))) struct JobChainTests: JobSuite {
    let scene: Scene
    let environment: [String: String]

    init() throws {
        scene = try Scene()
        environment = [
            "XDG_STATE_HOME": scene.path("state"), "XDG_RUNTIME_DIR": scene.path("run"),
            "XDG_CONFIG_HOME": scene.path("config"),
        ]
        mkdir(scene.path("flats"), 0o700)
        for number in 1...3 {
            _ = try scene.image("flats/f\(number).fits", axes: [40, 40], sample: Float(number))
        }
    }

    /// Words of a map on this machine, whose script is `body`.
    private func map(_ body: String, _ name: String, _ words: [String]) throws -> [String] {
        let path = try scene.script(body, name)
        return ["map"] + words.prefix { $0 != "--" } + ["work", "{in}", "--no-discovery", "--local-slots", "1"]
            + ["--local-program", "work=\(path)"] + words.drop { $0 != "--" }
    }

    @Test("combine, calibrate, scan and map run one after the other, and survive a restart of the node")
    func chain() throws {
        let first = try node()
        // The first job ends when the file is there, after its node was killed.
        let go = scene.path("go")
        let start = try submit(
            map(
                "while ! test -e '\(go)'; do sleep 0.05; done; cat $1", "wait.sh",
                ["-o", scene.path("begun/"), "--", scene.path("flats/f1.fits")]))
        let flat = try submit(
            ["combine", "--after", String(start.prefix(7)), scene.path("flats"), "-o", scene.path("flat.fits")])
        let reduced = try submit(
            ["--after=\(flat)", "calibrate", scene.path("flats"), "-o", scene.path("night/"), "--flat"]
                + [scene.path("flat.fits")])
        let scanned = try submit(
            [scene.path("night/"), "-o", scene.path("cat/{stem}.csv"), "--after", reduced, "--no-discovery"])
        let last = try submit(
            map("wc -c <$1", "count.sh", ["--after", scanned, "-o", scene.path("out/"), "--", scene.path("cat/")]))
        #expect(jobs.entry(last)?.job.after == [scanned] && jobs.entry(last)?.state == .waiting)
        #expect(try run(["jobs", "show", last]).output.contains("after   \(scanned)"))
        first.program.send(SIGKILL)
        let second = try node()
        #expect(jobs.entry(flat)?.state == .waiting)
        _ = try scene.write([], "go")
        let waited = try run(["jobs", "wait", start, flat, reduced, scanned, last])
        #expect(waited.code == 0, "\(waited.errors)")
        #expect(scene.outputs == ["f1.out", "f2.out", "f3.out"])
        #expect(try run(["jobs"]).output.contains("map work"))
        withExtendedLifetime(second) {}
    }

    @Test("a job whose predecessor fails, is cancelled or removed fails by its name, and runs again after it")
    func failed() throws {
        let node = try node()
        let images = scene.path("images")
        let first = try submit(["scan", "--no-discovery", images, "-o", scene.path("cat/{stem}.csv")])
        // The first one may have failed already.
        let held = try run(["submit", "combine", scene.path("flats"), "-o", scene.path("m.fits"), "--after", first])
        #expect(try run(["jobs", "wait", first]).code != 0)
        let late = try run(["submit", "combine", scene.path("flats"), "-o", scene.path("m.fits"), "--after", first])
        #expect(late.code == 1 && late.errors.contains("--after \(first): that job ended with exit code 5"))
        let wait = "while ! test -e '\(scene.path("go"))'; do sleep 0.05; done; cat $1"
        let files = ["--", scene.path("flats")]
        let cancelled = try submit(map(wait, "wait.sh", ["-o", scene.path("begun/")] + files))
        let second = try submit(map("cat $1", "cat.sh", ["-o", scene.path("out/"), "--after", cancelled] + files))
        let third = try submit(map("cat $1", "cat.sh", ["-o", scene.path("third/"), "--after", second] + files))
        #expect(try run(["jobs", "cancel", cancelled]).code == 0)
        #expect(try run(["jobs", "wait", second]).code == 1 && run(["jobs", "wait", third]).code == 1)
        let shown = try run(["jobs", "show", second])
        #expect(
            shown.output.contains("job \(cancelled), after which this one runs, was cancelled: `skyfarm jobs resume"),
            "\(shown.output)")
        _ = try scene.write([], "go")
        for id in [cancelled, second, third] { #expect(try run(["jobs", "resume", id]).code == 0) }
        #expect(try run(["jobs", "wait", cancelled, second, third]).code == 0)
        #expect(scene.outputs.count == 3)
        withExtendedLifetime((node, held)) {}
    }

    @Test("a map that is paused, or killed with its node, goes on where it was")
    func resumed() throws {
        let first = try node()
        let ran = scene.path("ran")
        // The first item ends at once. Which one that is depends on whose bytes are read first.
        let body =
            "echo $1 >>'\(ran)'; mkdir '\(scene.path("first"))' || while ! test -e '\(scene.path("go"))'; do sleep 0.05; done"
        let id = try submit(map(body, "work.sh", ["-o", scene.path("out/"), "--", scene.path("flats")]))
        let end = ContinuousClock.now + Program.limit
        // An item whose file is in place is done only when the journal has it, too.
        while jobs.entry(id)?.progress?.tasksDone != 1, .now < end { usleep(5000) }
        let done = scene.outputs
        let process = try #require(jobs.entry(id)?.process)
        first.program.send(SIGKILL)
        kill(pid_t(process), SIGKILL)
        _ = try scene.write([], "go")
        let second = try node()
        #expect(try run(["jobs", "wait", id]).code == 0)
        let runs = try String(contentsOfFile: ran, encoding: .utf8).split(separator: "\n")
        #expect(done.count == 1 && scene.outputs.count == 3)
        #expect(runs.count { done == ["\($0.dropLast(5)).out"] } == 1, "\(runs), \(done)")
        withExtendedLifetime(second) {}
    }

    @Test("what cannot be a job is refused when it is submitted")
    func refused() throws {
        let flats = scene.path("flats")
        for words in [
            ["map", "psfex", "-o", "-", "--", flats], ["map", "psfex", "-o", "x/", "--items", "-"],
            ["map", "psfex", "-o", "x/", "--dry-run", "--", flats], ["combine", flats], ["nodes"],
        ] {
            #expect(try run(["submit"] + words).code == ExitCode.usage.rawValue, "\(words)")
        }
        #expect(try run(["submit", "map", "--help"]).output.contains("--after"))
        let node = try node()
        let unknown = try run(["submit", "combine", flats, "-o", "x.fits", "--after", "1f0c"])
        #expect(unknown.code == 1 && unknown.errors.contains("--after 1f0c: no submitted job has that ID"))
        withExtendedLifetime(node) {}
    }
}
