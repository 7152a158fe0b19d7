import CommandLineKit
import Foundation
import Testing

/// A scan whose process is killed, and the same command again.
@Suite("a killed scan", .serialized) struct KilledScanTests {
    let scene: Scene
    let image: String
    let total: Int

    init() throws {
        scene = try Scene()
        image = try scene.sky(size: "1200x1200")
        let expected = try Program.run(
            ["scan", image, "-o", scene.path("expected.fits"), "--band", "64", "--no-journal", "--json"])
        try #require(expected.code == 0)
        total = try Report(expected.output).tasks.done
    }

    private var environment: [String: String] { ["XDG_STATE_HOME": scene.path("state")] }

    private func words(_ further: String...) -> [String] {
        ["scan", image, "-o", scene.path("out/o.fits"), "--band", "64"] + further
    }

    private static func finished(_ errors: String) -> Int {
        errors.components(separatedBy: #""event":"finished""#).count - 1
    }

    /// Runs the command to its end; at least `least` tasks come from the journal.
    private func goOn(least: Int) throws {
        let result = try Program.run(words("--json", "--overwrite"), environment: environment)
        #expect(result.code == 0, "\(result.errors)")
        let tasks = try Report(result.output).tasks
        #expect(tasks.resumed >= least, "\(tasks) after \(least) finished tasks")
        #expect(tasks.resumed + tasks.done == total)
        #expect(try scene.bytes("out/o.fits") == scene.bytes("expected.fits"))
        #expect(!result.errors.contains("damaged"), "\(result.errors)")
    }

    @Test("goes on from every task that counted, whenever it was killed; the catalogue is the same to the byte")
    func killed() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("a killed scan: seed \(seed)")
        var generator = SeededMoments(state: seed)
        for round in 0..<20 {
            let moment = Int.random(in: 0...total, using: &generator)
            let program = try Program(words("--progress", "json", "--overwrite"), environment: environment)
            try program.wait("\(moment) finished tasks") { Self.finished($0) >= moment }
            program.send(SIGKILL)
            let result = try program.finish()
            let counted = Self.finished(result.errors)
            // Killed after the catalogue was written, it begins anew.
            let isWritten = result.code == 0 || counted == total
            try goOn(least: isWritten ? 0 : counted)
            print("a killed scan: round \(round), killed after \(counted) of \(total) tasks")
        }
    }

    @Test("that is killed again and again still ends")
    func killedAgain() throws {
        for moment in [3, 5, 4] {
            let program = try Program(words("--progress", "json"), environment: environment)
            try program.wait("\(moment) finished tasks") { Self.finished($0) >= moment }
            program.send(SIGKILL)
            _ = try program.finish()
        }
        try goOn(least: 12)
    }

    @Test(
        "while it writes its outputs, some of which have their names, goes on and replaces them; nothing else is left")
    func killedWriting() throws {
        let others = ["o.csv", "o.ecsv", "o.vot", "o.reg"].map { scene.path("out/\($0)") }
        let words =
            words("--check-image", "BACKGROUND=" + scene.path("out/back.fits"))
            + others.flatMap { ["-o", $0] }
        // It waits for a reader of its standard output when the first file has its name, and the others have none yet.
        let program = try Program(words + ["-o", "-"], environment: environment)
        let end = ContinuousClock.now + Program.limit
        while scene.outputs.isEmpty, .now < end { usleep(5000) }
        program.send(SIGKILL)
        _ = try program.finish()
        #expect(scene.outputs == ["back.fits"])
        let result = try Program.run(words + ["--json"], environment: environment)
        #expect(result.code == 0, "\(result.errors)")
        #expect(try Report(result.output).tasks.resumed == total, "\(result.errors)")
        #expect(scene.outputs == ["back.fits", "o.csv", "o.ecsv", "o.fits", "o.reg", "o.vot"])
        #expect(try scene.bytes("out/o.fits") == scene.bytes("expected.fits"))
        // Files that others have written there meanwhile, or that a finished job has, are not replaced.
        let again = try Program.run(words, environment: environment)
        #expect(again.code == ExitCode.output.rawValue && again.errors.contains("exists already"), "\(again.errors)")
    }

    @Test("on a full disk says so with exit code 6, and goes on when there is room", .enabled(if: geteuid() == 0))
    func fullDisk() throws {
        let state = scene.path("state")
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        // In a mount name space of its own: the small disk goes away with the processes.
        let script = """
            mount -t tmpfs -o size=640k none "$1" || exit 99
            shift
            "$@"
            echo "exit code $?" >&2
            mount -o remount,size=64m "$XDG_STATE_HOME"
            "$@"
            """
        let result = try Program.run(
            path: "unshare", ["-m", "sh", "-c", script, "sh", state, Program.path] + words("--json", "--overwrite"),
            environment: environment)
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.errors.contains("exit code 6\n"), "\(result.errors)")
        #expect(
            result.errors.contains("no space left for the journal; free some room and start the same command again"))
        let tasks = try Report(result.output).tasks
        #expect(tasks.resumed > 0 && tasks.resumed + tasks.done == total, "\(tasks)")
        #expect(try scene.bytes("out/o.fits") == scene.bytes("expected.fits"))
    }
}

/// A generator whose numbers follow from its seed.
private struct SeededMoments: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ state >> 33) &* 0xff51_afd7_ed55_8ccd
    }
}
