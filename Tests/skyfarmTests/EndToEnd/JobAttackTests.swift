import ScanBasics
import CommandLineKit
import Foundation
import Testing

import ImageJobs

/// What a holder of the key who is no friend asks of a node that accepts jobs.
@Suite("attacks by jobs", .serialized, .timeLimit(.minutes(10))) struct JobAttackTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
        for folder in ["shared", "data"] {
            try FileManager.default.createDirectory(atPath: scene.path(folder), withIntermediateDirectories: true)
        }
    }

    private func machine(_ name: String) -> [String: String] {
        ["XDG_STATE_HOME": scene.path("state-\(name)"), "XDG_RUNTIME_DIR": scene.path("run-\(name)"), "USER": name]
    }

    func node(_ name: String, _ further: [String] = []) throws -> Node {
        let node = try Node(
            name, ["--accept-jobs", scene.path("shared"), "--job-lease", "1", "--no-advertise"] + further,
            environment: machine(name))
        let end = ContinuousClock.now + .seconds(60)
        while try Program.run(["node", "--resume"], environment: machine(name)).code != 0, .now < end { usleep(10_000) }
        return node
    }

    /// Runs a command on another machine.
    func run(_ words: [String], _ nodes: [Node]) throws -> Program.Result {
        try Program.run(
            words,
            environment: machine("desk").merging([
                "SKYFARM_NODES": nodes.map(\.address).joined(separator: ","), "SKYFARM_NO_DISCOVERY": "1",
            ]) { $1 })
    }

    func submit(_ words: [String], on name: String = "beta", _ nodes: [Node]) throws -> String {
        let result = try run(["submit", "--on", name] + words, nodes)
        guard result.code == 0 else { throw Program.Failure(description: result.errors) }
        return result.output.trimmingCharacters(in: .newlines)
    }

    @Test("Security.md: a file that a job only names is not given to other machines")
    func fetched() throws {
        let beta = try node("beta")
        let image = try scene.sky("shared/sky.fits")
        let secret = try scene.write("secret".utf8, "shared/secret.csv")
        let id = try submit([image, "-o", secret, "-o", scene.path("shared/o.csv")], [beta])
        // It must not replace the file, so that it writes nothing.
        #expect(try run(["jobs", "wait", id], [beta]).code == ExitCode.output.rawValue)
        let nothing = try run(["jobs", "fetch", id, "-o", scene.path("fetched")], [beta])
        #expect(nothing.code == 1 && nothing.errors.contains("has written no file"), "\(nothing.errors)")
        // What another one has written is given, until it is something else.
        let good = try submit(
            [image, "-o", scene.path("shared/o.csv"), "--report", scene.path("shared/o.html")], [beta])
        #expect(try run(["jobs", "wait", good], [beta]).code == 0)
        let fetched = try run(["jobs", "fetch", good, "-o", scene.path("fetched")], [beta])
        #expect(fetched.code == 0, "\(fetched.errors)")
        #expect(try scene.bytes("fetched/o.csv") == scene.bytes("shared/o.csv"))
        #expect(try scene.bytes("fetched/o.html") == scene.bytes("shared/o.html"))
        unlink(scene.path("shared/o.csv"))
        symlink(secret, scene.path("shared/o.csv"))
        unlink(scene.path("shared/o.html"))
        #expect(mkfifo(scene.path("shared/o.html"), 0o600) == 0)
        #expect(
            try run(["jobs", "fetch", good, "-o", scene.path("again")], [beta]).errors.contains("has written no file"))
    }

    @Test("Security.md: a pipe in the place of an output holds up neither other requests nor the end of the node")
    func pipe() throws {
        let beta = try node("beta")
        let image = try scene.sky("shared/sky.fits")
        #expect(mkfifo(scene.path("shared/pipe.csv"), 0o600) == 0)
        let refused = try run(["submit", "--on", "beta", image, "-o", scene.path("shared/pipe.csv")], [beta])
        #expect(refused.code == ExitCode.output.rawValue && refused.errorLines.count == 1, "\(refused.errors)")
        let inside = scene.path("shared/.skyfarm/jobs/1f0c/lease-9223372036854775807/o.csv")
        #expect(try run(["submit", "--on", "beta", image, "-o", inside], [beta]).code == ExitCode.output.rawValue)
        #expect(try run(["jobs"], [beta]).code == 0)
        beta.program.send(SIGTERM)
        #expect(try beta.program.finish().code == 0)
    }

    @Test("Security.md: a node that takes a job over allows what its own owner allows")
    func takenOver() throws {
        let beta = try node("beta", ["--data", scene.path("data")])
        let gamma = try node("gamma")
        let image = try scene.sky("data/sky.fits")
        let id = try submit(
            [
                image, "-o", scene.path("shared/o.csv"), "--local-slots", "0", "--exclude", "*", "--srv",
                "nosuch.invalid", "--wait", "3600",
            ], [beta, gamma])
        let store = SubmittedJobs(sharedIn: realPath(scene.path("shared")) ?? "")
        let end = ContinuousClock.now + Program.limit
        while store.entry(id)?.process == nil, .now < end { usleep(5000) }
        let process = try #require(store.entry(id)?.process)
        beta.program.send(SIGKILL)
        kill(pid_t(process), SIGKILL)
        while try !run(["jobs"], [gamma]).output.contains(try Regex("\(id) +lost +beta")), .now < end { usleep(50_000) }
        let resumed = try run(["jobs", "resume", id, "--on", "gamma"], [gamma])
        #expect(resumed.code == ExitCode.input.rawValue, "\(resumed.errors)")
        #expect(resumed.errors.contains("not below a folder of --accept-jobs or --data"), "\(resumed.errors)")
    }

    @Test(
        "Security.md: a folder that another user has put in the place of ours is refused, and nothing is written there",
        .enabled(if: geteuid() == 0, "needs root to change a file's owner"))
    func planted() throws {
        // Whoever made it could put links to files of the node's user in it.
        try FileManager.default.createDirectory(
            atPath: scene.path("shared/.skyfarm/jobs"), withIntermediateDirectories: true)
        for name in ["shared/.skyfarm", "shared/.skyfarm/jobs"] {
            #expect(chown(scene.path(name), 65_534, 65_534) == 0)
        }
        let started = try Program.run(
            ["node", "--accept-jobs", scene.path("shared"), "--no-advertise", "--listen", "127.0.0.1:0"],
            environment: machine("beta"))
        #expect(started.code == 1 && started.errorLines.count == 1, "\(started.errors)")
        #expect(started.errors.contains("belongs to another user"), "\(started.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.path("shared/.skyfarm/jobs")).isEmpty)
    }
}
