import Foundation
import ProgramTask
import ScanCluster
import Testing

/// Programs that do not want to end, take what they can get, or point out of their folder.
@Suite("programs that do harm", .timeLimit(.minutes(10))) struct HostileProgramTests {
    let box: ProgramBox

    init() throws { box = try ProgramBox() }

    /// Runs a script in the place of a program whose owner allows little.
    private func run(_ script: String, outputs: [String] = [], _ change: (inout ProgramTask) -> Void = { _ in }) throws
        -> ProgramOutput
    {
        var limits = ProgramLimits()
        (limits.memory, limits.disk, limits.seconds, limits.processes) = (256 << 20, 64 << 20, 120, 50)
        let host = try box.host(script, limits)
        defer { host.close() }
        var task = ProgramTask(id: 0, program: "p", arguments: [], inputs: [], outputs: outputs)
        change(&task)
        let output = try host.run(task, ScanContext())
        #expect(box.survivors.isEmpty, "of \(script)")
        // The place of the next task is as new.
        let next = try host.run(
            ProgramTask(id: 1, program: "next", arguments: [], inputs: [], outputs: ["a"]), ScanContext())
        #expect(next.end == .exited(0) && next.content(at: 0) == [0x31, 0x0a])
        return output
    }

    private func reason(_ output: ProgramOutput) -> String { output.failure(okCodes: [0]) ?? "" }

    @Test("one that forks without end")
    func forks() throws {
        let output = try run("while :; do sleep 1000 & done")
        #expect(reason(output) == "ran more than 50 processes")
    }

    @Test("one whose processes leave it, in sessions of their own")
    func daemonises() throws {
        let output = try run("setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' &) ; exit 0")
        #expect(reason(output).hasPrefix("ended and left "))
    }

    @Test("one that forks and ends in a chain, each process in a session of its own")
    func comet() throws {
        let output = try run("cat >c <<'E'\nsetsid sh c & \nE\nsetsid sh c &\nsleep 0.2")
        #expect(reason(output).hasPrefix("ended and left "))
    }

    @Test("one that ignores SIGTERM")
    func ignoresSignals() throws {
        let output = try run("trap '' TERM INT HUP; while :; do sleep 0.1; done") { $0.seconds = 0.3 }
        #expect(reason(output) == "took longer than 0.3 s")
    }

    @Test(
        "one that fills the disk",
        arguments: ["cat /dev/zero >a", "while :; do i=$((i+1)); head -c 999999 /dev/zero >$i; done"])
    func fillsDisk(script: String) throws {
        #expect(reason(try run(script)).hasPrefix("wrote more than 64 MiB"))
    }

    @Test("one that prints without end")
    func prints() throws {
        #expect(reason(try run("exec cat /dev/zero")).hasPrefix("wrote more than 64 MiB"))
        #expect(reason(try run("exec cat /dev/zero >&2")).hasPrefix("wrote more than 64 MiB"))
    }

    @Test("one that allocates without end, alone and in many processes")
    func allocates() throws {
        #expect(reason(try run("exec tail /dev/zero")).hasPrefix("exit code "))
        // Each holds 100 MiB until its input ends: all of them hold it together, however slow the machine is.
        let many = try run("for i in 1 2 3 4 5 6; do { head -c 100m /dev/zero; sleep 1000; } | tail & done; wait")
        #expect(reason(many).hasPrefix("used more than 256 MiB"))
    }

    @Test("one that deletes its folder")
    func deletes() throws {
        #expect(reason(try run("cd /; rm -rf \"$HOME\"", outputs: ["a"])) == "did not write a")
    }

    @Test("one that puts another folder in the place of its own")
    func replaces() throws {
        let outside = try box.scene.write(Array("secret".utf8), "outside/a")
        let output = try run("cd /; mv \"$HOME\" \"$HOME.old\"; ln -s \(outside.dropLast(2)) \"$HOME\"", outputs: ["a"])
        #expect(reason(output) == "did not write a")
        #expect(try box.scene.bytes("outside/a") == Data("secret".utf8))
    }

    @Test("one whose outputs are links that point outside")
    func links() throws {
        let secret = try box.scene.write(Array("secret".utf8), "secret")
        #expect(reason(try run("ln -s \(secret) a", outputs: ["a"])) == "a is a link or no regular file")
        let folder = try run("ln -s \(box.scene.folder) b", outputs: ["b/secret"])
        #expect(reason(folder) == "b/secret is a link or no regular file")
        let all = try run("ln -s \(secret) a; ln -s \(box.scene.folder) b; mkfifo c; echo 1 >d") { $0.collects = true }
        #expect(all.files.map(\.path) == ["d"] && all.end == .exited(0))
        #expect(reason(try run("mkfifo a", outputs: ["a"])) == "a is a link or no regular file")
    }

    @Test("one that leaves a tree of folders deeper than a path may be long, without permissions")
    func buries() throws {
        let output = try run(
            "for i in 1 2 3; do n=$(printf 'd%.0s' $(seq 200)); for j in $(seq 30); do mkdir $n && cd -P $n || exit 0;"
                + " done; done; chmod 000 .")
        #expect(output.end == .exited(0), "\(reason(output))")
    }

    @Test("one that is cancelled")
    func cancelled() throws {
        let host = try box.host("echo 1 >started; exec sleep 1000")
        defer { host.close() }
        let cancellation = ScanCancellation()
        let running = box.watch
        Thread.detachNewThread {
            while running.processes.isEmpty { usleep(1000) }
            cancellation.cancel()
        }
        let task = ProgramTask(id: 0, program: "p", arguments: [], inputs: [], outputs: [])
        #expect(throws: CancellationError.self) { try host.run(task, ScanContext(cancellation: cancellation)) }
        #expect(box.survivors.isEmpty)
    }
}

/// A scene with a folder for the places of programs, which runs scripts as programs.
struct ProgramBox {
    let scene: Scene
    private let scratch: ScratchWatch

    init() throws {
        scene = try Scene()
        scratch = ScratchWatch(path: scene.path("scratch"))
        for name in ["scratch", "outside"] { mkdir(scene.path(name), 0o700) }
    }

    /// A host of a program `p`, this script, and of a harmless one.
    func host(_ script: String, _ limits: ProgramLimits = ProgramLimits()) throws -> ProgramHost {
        var options = ProgramHost.Options(programs: [
            "p": try scene.script(script, "p.sh"), "next": try scene.script("echo 1 >a", "next.sh"),
        ])
        (options.limits, options.scratch, options.slots) = (limits, scratch.path, 4)
        options.supervisor = [Program.path, ProgramHost.word]
        return try ProgramHost(options, environment: ProcessInfo.processInfo.environment)
    }

    /// Processes of the scene's tasks.
    var survivors: [String] { scratch.processes }
    var watch: ScratchWatch { scratch }
}

/// The processes of tasks below a folder.
struct ScratchWatch: Sendable {
    let path: String

    /// The words of the processes whose home is there.
    var processes: [String] {
        let ids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
        return ids.compactMap { id in
            guard let variables = FileManager.default.contents(atPath: "/proc/\(id)/environ"),
                variables.range(of: Data("HOME=\(path)".utf8)) != nil,
                let words = FileManager.default.contents(atPath: "/proc/\(id)/cmdline")
            else { return nil }
            return String(decoding: words, as: UTF8.self)
        }
    }
}
