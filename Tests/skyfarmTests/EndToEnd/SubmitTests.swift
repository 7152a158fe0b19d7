import CommandLineKit
import Foundation
import Testing

import ImageJobs

/// Jobs that are handed to the node of a machine.
@Suite("submitted jobs", .serialized, .timeLimit(.minutes(10))) struct SubmitTests: JobSuite {
    let scene: Scene
    let environment: [String: String]

    init() throws {
        scene = try Scene()
        environment = ["XDG_STATE_HOME": scene.path("state"), "XDG_RUNTIME_DIR": scene.path("run")]
    }

    private func wait(_ words: String, until condition: () -> Bool) throws {
        let end = ContinuousClock.now + Program.limit
        while !condition() {
            guard .now < end else { throw Program.Failure(description: "\(words): not in time") }
            usleep(5000)
        }
    }

    /// A scan that waits for a node.
    private func waitingScan(_ image: String) -> [String] {
        [image, "-o", scene.path("out/never.fits"), "--local-slots", "0", "--srv", "nosuch.invalid", "--wait", "3600"]
    }

    @Test("a job takes folders at any depth and a condition, which is checked before it is submitted")
    func selected() throws {
        let node = try node()
        try FileManager.default.createDirectory(atPath: scene.path("night/sub"), withIntermediateDirectories: true)
        for filter in ["g", "r"] {
            _ = try scene.image(
                "night/sub/\(filter).fits", axes: [40, 40], samples: Array(repeating: 1, count: 1600),
                cards: ["FILTER  = '\(filter)'"])
        }
        let words = [scene.path("night"), "--recursive", "-o", scene.path("out/"), "--where"]
        let faulty = try run(["submit"] + words + ["FILTER = r"])
        #expect(faulty.code == ExitCode.usage.rawValue && faulty.errors.contains("a string needs quotes"))
        let id = try submit(words + ["FILTER = 'r'"])
        #expect(try run(["jobs", "wait", id]).code == 0)
        #expect(scene.outputs == ["r.fits"])
        withExtendedLifetime(node) {}
    }

    @Test("a job is done after its submitter has gone, with the bytes and the exit code of the scan")
    func submitted() throws {
        let (node, image) = (try node(), try scene.sky())
        try #require(try run(["scan", image, "-o", scene.path("expected.fits"), "--no-journal"]).code == 0)
        let id = try submit([image, "-o", scene.path("out/o.fits"), "--no-journal"])
        let failing = try submit([scene.path("nosuch.fits"), "-o", scene.path("out/p.fits")])
        #expect(id.count == 8 && id != failing)
        let waited = try run(["jobs", "wait", id])
        #expect(waited.code == 0, "\(waited.errors)")
        #expect(try scene.bytes("out/o.fits") == scene.bytes("expected.fits"))
        #expect(try run(["jobs", "wait", id, failing]).code == ExitCode.input.rawValue)
        let watched = try run(["jobs", "watch", failing])
        #expect(watched.code == ExitCode.input.rawValue && watched.errors.contains("nosuch.fits"), "\(watched.errors)")
        let listed = try run(["jobs"])
        #expect(listed.output.contains(try Regex("(?m)^ *\(id) +finished ")), "\(listed.output)")
        #expect(listed.output.contains(try Regex("(?m)^ *\(failing) +failed ")), "\(listed.output)")
        #expect(try run(["jobs", "show", id]).output.contains("state   finished\n"))
        #expect(try run(["jobs", "remove", failing]).code == 0 && jobs.entries().map(\.job.id) == [id])
        // Only its user can use the socket.
        var status = stat()
        #expect(stat(scene.path("run/skyfarm/node.sock"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat(scene.path("run/skyfarm"), &status) == 0 && status.st_mode & 0o777 == 0o700)
        node.program.send(SIGTERM)
        #expect(try node.program.finish().code == 0)
        #expect(stat(scene.path("run/skyfarm/node.sock"), &status) != 0)
    }

    @Test("a job that was killed with its node is resumed by the next one, from its journal, with the same bytes")
    func killed() throws {
        let first = try node()
        let image = try scene.sky(size: "5000x5000")
        let words = [image, "--band", "64", "--local-slots", "1"]
        try #require(try run(["scan", "-o", scene.path("expected.fits"), "--no-journal"] + words).code == 0)
        let id = try submit(["-o", scene.path("out/o.fits")] + words)
        try wait("a task is done") { jobs.entry(id)?.progress?.event == "finished" }
        let process = try #require(jobs.entry(id)?.process)
        first.program.send(SIGKILL)
        kill(pid_t(process), SIGKILL)
        try wait("the job is not run") { jobs.entry(id)?.process == nil }
        try #require(jobs.entry(id)?.result == nil)
        let second = try node()
        #expect(try run(["jobs", "wait", id]).code == 0)
        #expect(try scene.bytes("out/o.fits") == scene.bytes("expected.fits"))
        let log = try String(contentsOfFile: jobs.logPath(id), encoding: .utf8)
        #expect(log.contains(#""event":"resumed""#), "\(log.suffix(2000))")
        withExtendedLifetime(second) {}
    }

    @Test("a job outlives its node, whose successor takes it over; it is paused, resumed and cancelled")
    func orders() throws {
        let first = try node()
        let id = try submit(waitingScan(try scene.sky()))
        try wait("the job runs") { jobs.entry(id)?.process != nil }
        let process = jobs.entry(id)?.process
        first.program.send(SIGKILL)
        _ = try first.program.finish()
        let second = try node()
        try second.program.waitForErrors("job \(id) runs on")
        #expect(jobs.entry(id)?.process == process)
        #expect(try run(["jobs", "pause", id]).code == 0)
        try wait("the job is paused") { jobs.entry(id)?.state == .paused }
        #expect(try run(["jobs", "pause", id]).errors.contains("is paused"))
        #expect(try run(["jobs", "resume", String(id.prefix(6))]).code == 0)
        try wait("the job runs again") { jobs.entry(id)?.state == .running }
        #expect(try run(["jobs", "remove", id]).code != 0)
        #expect(try run(["jobs", "cancel", id]).code == 0)
        #expect(try run(["jobs", "wait", id]).code == ExitCode.terminated.rawValue)
        #expect(try run(["jobs", "remove", id]).code == 0 && jobs.entries().isEmpty)
    }

    @Test("without a node, and for what cannot be a job, one line says what to do")
    func refused() throws {
        let alone = try run(["submit", "a.fits", "-o", "b.fits"])
        #expect(alone.code == ExitCode.noUsableNode.rawValue && alone.errorLines.count == 1)
        #expect(alone.errors.contains("start `skyfarm node`"), "\(alone.errors)")
        for words in [["a.fits"], ["-", "-o", "b/"], ["a.fits", "-o", "b.fits", "--dry-run"], ["-o", "b.fits"]] {
            #expect(try run(["submit"] + words).code == ExitCode.usage.rawValue, "\(words)")
        }
        #expect(try run(["jobs", "wait"]).code == ExitCode.usage.rawValue)
        #expect(try run(["jobs", "watch", "1f0c"]).errors.contains("no job has the ID 1f0c"))
    }

    @Test("the user of a node pauses and resumes it by its socket; what is no request is answered as such")
    func ownNode() throws {
        let node: Node = try node()
        let paused = try run(["node", "--pause"])
        #expect(paused.code == 0 && paused.output == "paused: by its owner\n", "\(paused.errors)")
        try node.program.waitForErrors("paused: by its owner")
        #expect(try run(["node", "--resume"]).output == "runs tasks\n")
        try node.program.waitForErrors("resumed")
        let socket = socket(AF_UNIX, LocalSocket.streamType, 0)
        defer { close(socket) }
        try #require(try LocalSocket.withAddress(scene.path("run/skyfarm/node.sock")) { connect(socket, $0, $1) } == 0)
        #expect(Foundation.write(socket, "rubbish\n", 8) == 8)
        let line = try #require(try LocalSocket.readLine(socket))
        #expect(String(decoding: line, as: UTF8.self).contains("cannot be read"))
    }

    @Test("a process that accepts nobody holds up no command")
    func deaf() throws {
        let path = scene.path("deaf/skyfarm/node.sock")
        try FileManager.default.createDirectory(
            atPath: scene.path("deaf/skyfarm"), withIntermediateDirectories: true)
        let server = socket(AF_UNIX, LocalSocket.streamType, 0)
        defer { close(server) }
        try #require(try LocalSocket.withAddress(path) { bind(server, $0, $1) } == 0 && listen(server, 0) == 0)
        // Its queue is full.
        let first = socket(AF_UNIX, LocalSocket.streamType, 0)
        defer { close(first) }
        try #require(try LocalSocket.withAddress(path) { connect(first, $0, $1) } == 0)
        let environment = ["XDG_RUNTIME_DIR": scene.path("deaf")]
        let start = ContinuousClock.now
        #expect(throws: CommandError.self) {
            try LocalSocket.send(LocalRequest(.pauseNode), environment, timeLimit: 1)
        }
        #expect(ContinuousClock.now - start < .seconds(60))
    }
}
