import ScanBasics
import CommandLineKit
import Foundation
import ScanNetwork
import Testing

import ImageJobs

/// Jobs of several machines, each with state and sockets of its own, which share a folder.
@Suite("jobs of a cluster", .serialized, .timeLimit(.minutes(10))) struct ClusterJobsTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
        try FileManager.default.createDirectory(atPath: scene.path("shared"), withIntermediateDirectories: true)
    }

    /// The variables of a machine.
    private func machine(_ name: String) -> [String: String] {
        [
            "XDG_STATE_HOME": scene.path("state-\(name)"), "XDG_RUNTIME_DIR": scene.path("run-\(name)"),
            "USER": "u\(name)",
        ]
    }

    /// A node of a machine that accepts jobs in the shared folder.
    private func node(_ name: String, machine: String? = nil, _ further: [String] = []) throws -> Node {
        let node = try Node(
            name, ["--accept-jobs", scene.path("shared"), "--job-lease", "1", "--no-advertise"] + further,
            environment: self.machine(machine ?? name))
        try waitForSocket(of: machine ?? name)
        return node
    }

    /// Waits until a node of the machine takes requests.
    private func waitForSocket(of name: String) throws {
        let end = ContinuousClock.now + .seconds(60)
        while try Program.run(["node", "--resume"], environment: machine(name)).code != 0, .now < end { usleep(10_000) }
    }

    /// Runs a command on a machine that knows these nodes.
    private func run(_ words: [String], on name: String = "desk", _ nodes: [Node]) throws -> Program.Result {
        try Program.run(words, environment: variables(name, nodes))
    }

    private func variables(_ name: String, _ nodes: [Node]) -> [String: String] {
        machine(name).merging(
            ["SKYFARM_NODES": nodes.map(\.address).joined(separator: ","), "SKYFARM_NO_DISCOVERY": "1"]
        ) { $1 }
    }

    private func submit(_ words: [String], _ nodes: [Node]) throws -> String {
        let result = try run(["submit"] + words, nodes)
        guard result.code == 0 else { throw Program.Failure(description: result.errors) }
        return result.output.trimmingCharacters(in: .newlines)
    }

    private var store: SubmittedJobs { SubmittedJobs(sharedIn: realPath(scene.path("shared")) ?? "") }

    private func wait(_ words: String, until condition: () throws -> Bool) throws {
        let end = ContinuousClock.now + Program.limit
        while try !condition() {
            guard .now < end else { throw Program.Failure(description: "\(words): not in time") }
            usleep(5000)
        }
    }

    @Test("a job is run by the first node of a user, if another one accepted it for a folder that only that knows")
    func twoNodes() throws {
        let first = try Node("first", ["--no-advertise"], environment: machine("beta"))
        try waitForSocket(of: "beta")
        let second = try node("second", machine: "beta")
        let image = try scene.sky("shared/sky.fits", size: "600x400")
        let id = try submit(["--on", "second", image, "-o", scene.path("shared/o.fits")], [first, second])
        let waited = try run(["jobs", "wait", id], [first, second])
        #expect(waited.code == 0, "\(waited.errors)")
        #expect(FileManager.default.fileExists(atPath: scene.path("shared/o.fits")))
    }

    @Test("a run of a program is handed to another node, which reads and writes below its folder only")
    func map() throws {
        let script = try scene.script("wc -c <$1; sleep 0.01", "work.sh")
        let nodes = try [node("beta", ["--program", "work=\(script)"])]
        for folder in ["in", "heads"] { mkdir(scene.path("shared/\(folder)"), 0o755) }
        for number in 1...5 { _ = try scene.write(Array(repeating: 65, count: number), "shared/in/\(number).txt") }
        _ = try scene.write(Array("secret".utf8), "secret.txt")
        symlink(scene.path("secret.txt"), scene.path("shared/heads/1.head"))
        let words = ["map", "--on", "beta", "work", "{in}", "-o", scene.path("shared/out/")]
        let id = try submit(words + ["--", scene.path("shared/in")], nodes)
        let waited = try run(["jobs", "wait", id], nodes)
        #expect(waited.code == 0, "\(waited.errors)")
        let lines = try (1...5).map { try String(contentsOfFile: scene.path("shared/out/\($0).out"), encoding: .utf8) }
        #expect(lines == (1...5).map { "\($0)\n" })
        let fetched = try run(["jobs", "fetch", id, "-o", scene.path("fetched/")], nodes)
        #expect(fetched.code == 0 && FileManager.default.fileExists(atPath: scene.path("fetched/3.out")))
        // A link that leads out of the folder, which a template names.
        let linked = try run(
            ["submit"] + words.dropLast() + [scene.path("shared/linked/"), "--with"]
                + [scene.path("shared/heads/{stem}.head"), "--", scene.path("shared/in/1.txt")], nodes)
        #expect(linked.code == 5 && linked.errors.contains("permission denied"), "\(linked.errors)")
        let outside = try run(["submit"] + words + ["--", scene.path("secret.txt")], nodes)
        #expect(outside.code == 5 && outside.errors.contains("not below a folder"), "\(outside.errors)")
    }

    @Test("a job begins after one of another node that shares the folder, and is refused if that one was cancelled")
    func chain() throws {
        let nodes = try [node("beta"), node("gamma")]
        let image = try scene.sky("shared/sky.fits", size: "600x400")
        let waiting = [
            image, "--local-slots", "0", "--exclude", "*", "--srv", "nosuch.invalid", "--wait", "3600", "-o",
            scene.path("shared/never.fits"),
        ]
        let held = try submit(["--on", "beta"] + waiting, nodes)
        let late = try submit(["--on", "gamma", "--after", held, image, "-o", scene.path("shared/l.fits")], nodes)
        let first = try submit(["--on", "beta", image, "-o", scene.path("shared/a.fits")], nodes)
        let second = try submit(
            ["--on", "gamma", "--after", String(first.prefix(7)), image, "-o", scene.path("shared/b.fits")], nodes)
        #expect(try run(["jobs", "wait", second], nodes).code == 0)
        #expect(store.entry(first)?.result?.code == 0 && store.entry(second)?.job.after == [first])
        #expect(try run(["jobs", "cancel", held], nodes).code == 0)
        #expect(try run(["jobs", "wait", late], nodes).code == 1)
        #expect(store.entry(late)?.message?.contains("job \(held), after which this one runs, was cancelled") == true)
    }

    @Test("a job whose node is lost is continued by another one from its journal, with the same bytes")
    func lost() throws {
        let (beta, gamma) = (try node("beta"), try node("gamma"))
        // Runs the tasks, and is stopped while the job must not end.
        let delta = try node("delta", ["--slots", "1"])
        let image = try scene.sky("shared/sky.fits", size: "4000x4000")
        let words = [image, "--band", "32", "--overwrite"]
        try #require(try run(["scan", "-o", scene.path("expected.fits"), "--no-journal"] + words, []).code == 0)
        let id = try submit(
            [
                "--on", "beta", "-o", scene.path("shared/o.fits"), "--local-slots", "0", "--node", beta.address,
                "--node", delta.address, "--only", "delta",
            ] + words, [beta])
        try wait("a task is done") {
            (try? String(contentsOfFile: store.logPath(id), encoding: .utf8).contains(#""event":"finished""#)) == true
        }
        delta.program.send(SIGSTOP)
        // From another machine, with the display of a scan.
        let watch = try Program(
            ["jobs", "watch", id, "--progress", "json"], environment: variables("gamma", [beta, gamma]))
        try watch.waitForErrors(#""event":"finished""#)
        let early = try run(["jobs", "resume", id, "--on", "gamma"], [beta, gamma])
        #expect(early.code == 1 && early.errors.contains("beta runs job \(id)"), "\(early.errors)")
        let process = try #require(store.entry(id)?.process)
        beta.program.send(SIGKILL)
        kill(pid_t(process), SIGKILL)
        try wait("the job is lost") { try run(["jobs"], [gamma]).output.contains(try Regex("\(id) +lost +beta")) }
        delta.program.send(SIGCONT)
        let resumed = try run(["jobs", "resume", id, "--on", "gamma"], [beta, gamma])
        #expect(resumed.code == 0, "\(resumed.errors)")
        #expect(try run(["jobs", "wait", id], [gamma]).code == 0)
        #expect(try scene.bytes("shared/o.fits") == scene.bytes("expected.fits"))
        let log = try String(contentsOfFile: store.logPath(id), encoding: .utf8)
        #expect(log.contains(#""event":"resumed""#), "\(log.suffix(2000))")
        #expect(store.lease(id)?.number == 2 && store.lease(id)?.node == "gamma")
        // Only the catalogue, checked, appears here.
        let fetched = try run(["jobs", "fetch", id, "-o", scene.path("fetched")], [gamma])
        #expect(fetched.code == 0 && fetched.output == scene.path("fetched/o.fits\n"), "\(fetched.errors)")
        #expect(try scene.bytes("fetched/o.fits") == scene.bytes("expected.fits"))
        #expect(try run(["jobs", "fetch", id, "-o", scene.path("fetched")], [gamma]).errors.contains("exists already"))
    }

    @Test("a job that ended after its node was lost is shown, waited for, fetched and removed by another one")
    func endedAlone() throws {
        let (beta, gamma) = (try node("beta"), try node("gamma"))
        let image = try scene.sky("shared/sky.fits", size: "2000x2000")
        let id = try submit(["--on", "beta", image, "--band", "32", "-o", scene.path("shared/o.fits")], [beta])
        try wait("the job runs") { store.entry(id)?.process != nil }
        beta.program.send(SIGKILL)
        _ = try beta.program.finish()
        try wait("the job ends") { store.entry(id)?.result != nil && store.lease(id)?.isReleased == true }
        let shown = try run(["jobs", "show", id], [beta, gamma])
        #expect(shown.code == 0 && shown.output.contains("state   finished"), "\(shown.output)\(shown.errors)")
        #expect(try run(["jobs", "wait", id], [beta, gamma]).code == 0)
        let fetched = try run(["jobs", "fetch", id, "-o", scene.path("fetched")], [beta, gamma])
        #expect(fetched.code == 0, "\(fetched.errors)")
        #expect(try scene.bytes("fetched/o.fits") == scene.bytes("shared/o.fits"))
        let resumed = try run(["jobs", "resume", id, "--on", "gamma"], [beta, gamma])
        #expect(resumed.code == 1 && resumed.errors.contains("is finished: `skyfarm jobs fetch"), "\(resumed.errors)")
        let removed = try run(["jobs", "remove", id], [beta, gamma])
        #expect(removed.code == 0 && store.entries().isEmpty, "\(removed.errors)")
    }

    @Test("a job that was told to stop after its node was lost is continued by another one")
    func stoppedAlone() throws {
        let (beta, gamma) = (try node("beta"), try node("gamma"))
        let image = try scene.sky("shared/sky.fits")
        let id = try submit(
            [
                "--on", "beta", image, "-o", scene.path("shared/o.fits"), "--local-slots", "0", "--exclude",
                "*", "--srv", "nosuch.invalid", "--wait", "3600",
            ], [beta])
        // Before, the signal would end its process at once.
        try wait("the scan handles signals") {
            (try? String(contentsOfFile: store.logPath(id), encoding: .utf8).contains("nosuch.invalid")) == true
        }
        let process = pid_t(try #require(store.entry(id)?.process))
        beta.program.send(SIGKILL)
        _ = try beta.program.finish()
        // As at the shut-down of the machine: it leaves its lease in order, and no result.
        kill(process, SIGTERM)
        try wait("the run has ended") { store.entry(id)?.process == nil && store.lease(id)?.isReleased == true }
        #expect(store.entry(id)?.result == nil)
        let shown = try run(["jobs", "show", id], [beta, gamma])
        #expect(shown.code == 0 && shown.output.contains("state   waiting"), "\(shown.output)\(shown.errors)")
        let resumed = try run(["jobs", "resume", id, "--on", "gamma"], [beta, gamma])
        #expect(resumed.code == 0, "\(resumed.errors)")
        try wait("gamma runs it") { store.lease(id)?.node == "gamma" && store.entry(id)?.process != nil }
        #expect(try run(["jobs", "cancel", id], [gamma]).code == 0)
    }

    @Test("a run that was held up while another node took the job over ends, and writes nothing")
    func fenced() throws {
        let (beta, gamma) = (try node("beta"), try node("gamma"))
        let image = try scene.sky("shared/sky.fits")
        let id = try submit(
            [
                "--on", "beta", image, "-o", scene.path("shared/o.fits"), "--local-slots", "0", "--exclude",
                "*", "--srv", "nosuch.invalid", "--wait", "3600",
            ], [beta])
        try wait("the job runs") { store.entry(id)?.process != nil }
        let process = pid_t(try #require(store.entry(id)?.process))
        kill(process, SIGSTOP)
        try wait("the job is lost") { try run(["jobs"], [gamma]).output.contains(try Regex("\(id) +lost +beta")) }
        #expect(try run(["jobs", "resume", id, "--on", "gamma"], [gamma]).code == 0)
        let log = store.folder(id) + "/run-1/log"
        kill(process, SIGCONT)
        // It may have been stopped before it began its log.
        try wait("the old run ends") {
            (try? String(contentsOfFile: log, encoding: .utf8).contains("gamma has taken")) == true
        }
        try beta.program.waitForErrors("job \(id) is running")
        try wait("gamma runs it") { store.lease(id)?.node == "gamma" && store.entry(id)?.process != nil }
        // Orders go to the node that runs it, from any machine.
        #expect(try run(["jobs", "priority", id, "2"], [beta, gamma]).code == 0)
        #expect(store.entry(id)?.job.finalWords.first == "--priority-weight=2.0")
        let early = try run(["jobs", "remove", id], [beta, gamma])
        #expect(early.code == 1 && early.errors.contains(" on gamma: cancel it first"), "\(early.errors)")
        let cancelled = try run(["jobs", "cancel", id], [beta, gamma])
        #expect(cancelled.code == 0, "\(cancelled.errors)")
        #expect(try run(["jobs", "wait", id], [beta, gamma]).code == ExitCode.terminated.rawValue)
        #expect(store.lease(id)?.node == "gamma" && store.entry(id)?.result == nil)
        #expect(try run(["jobs", "remove", id], [beta, gamma]).code == 0)
        #expect(store.entries().isEmpty && !FileManager.default.fileExists(atPath: store.folder(id)))
    }

    @Test("the jobs of all nodes are listed at once, and a node that hangs is named")
    func listed() throws {
        let nodes = try ["beta", "gamma", "delta"].map { try node($0) }
        let image = try scene.sky("shared/sky.fits")
        let id = try submit(["--on", "gamma", image, "-o", scene.path("shared/o.csv")], nodes)
        #expect(try run(["jobs", "wait", id], nodes).code == 0)
        nodes[2].program.send(SIGSTOP)
        let start = ContinuousClock.now
        let listed = try run(["jobs"], nodes)
        let time = start.duration(to: .now)
        nodes[2].program.send(SIGCONT)
        #expect(listed.output.contains(try Regex("\(id) +finished +gamma +udesk@")), "\(listed.output)")
        #expect(listed.errors.contains("\(nodes[2].address) does not answer"), "\(listed.errors)")
        #expect(time < .seconds(3), "\(time)")
    }

    @Test("a node takes only jobs whose files are where its owner allows, and that are the same files there")
    func refused() throws {
        let beta = try node("beta")
        let image = try scene.sky("shared/sky.fits")
        let outside = try scene.sky("sky.fits")
        func refusal(_ words: [String]) throws -> String {
            let result = try run(["submit", "--on", "beta"] + words, [beta])
            #expect(result.code != 0 && result.errorLines.count == 1, "\(result.output)\(result.errors)")
            return result.errors
        }
        let output = ["-o", scene.path("shared/o.csv")]
        #expect(try refusal([outside] + output).contains("not below a folder of --accept-jobs or --data"))
        #expect(try refusal([image, "-o", scene.path("o.csv")]).contains("not below a folder of --accept-jobs of"))
        #expect(try refusal([scene.path("shared/none.fits")] + output).contains("cannot be read here: no such file"))
        #expect(try refusal([image, "--mask", outside] + output).contains("not below a folder"))
        #expect(try refusal([image, "--dashboard"] + output).contains("--dashboard cannot be used"))
        #expect(try refusal([image, "-o", scene.path("shared/../o.csv")]).contains("not below"))
        symlink(scene.folder, scene.path("shared/link"))
        #expect(try refusal([image, "-o", scene.path("shared/link/o.csv")]).contains("not below"))
        let deaf = try Node("deaf", ["--no-advertise"], environment: machine("deaf"))
        let closed = try run(["submit", "--on", "deaf", image] + output, [deaf])
        #expect(closed.errors.contains("--accept-jobs DIR"), "\(closed.errors)")
        #expect(store.entries().isEmpty)
    }
}
