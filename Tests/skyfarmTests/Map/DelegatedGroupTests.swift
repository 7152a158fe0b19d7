import Foundation
import Testing

@testable import ProgramTask

/// Control groups of programs.
@Suite("control groups", .timeLimit(.minutes(10))) struct DelegatedGroupTests {
    let scene: Scene

    init() throws { scene = try Scene() }

    @Test("the folder of the group is found where the file system is mounted, as a whole or in part")
    func paths() {
        func path(_ group: String, _ mounts: String) -> String? {
            DelegatedGroup.path(groups: "9:name=systemd:/x\n\(group)\n", mounts: mounts)
        }
        let whole = "22 1 0:5 / /proc rw - proc proc rw\n30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n"
        #expect(path("0::/system.slice/a.service", whole) == "/sys/fs/cgroup/system.slice/a.service")
        #expect(path("0::/", whole) == "/sys/fs/cgroup")
        let part = "30 23 0:26 /a.slice /cg rw - cgroup2 none rw\n"
        #expect(path("0::/a.slice/b", part) == "/cg/b" && path("0::/a.slice", part) == "/cg")
        #expect(path("0::/other", part) == nil && path("4:memory:/b", whole) == nil && path("0::/a", "") == nil)
        #expect(ProgramGroup.number("oom_kill", in: "low 0\noom 3\noom_kill 2\noom_group_kill 1\n") == 2)
        #expect(ProgramGroup.number("populated", in: "frozen 1") == 0)
    }

    /// Makes a group as systemd does for a service with `Delegate=yes`; nil where this user may not.
    private func delegatedGroup() throws -> String? {
        let (groups, mounts) = (DelegatedGroup.text("/proc/self/cgroup"), DelegatedGroup.text("/proc/self/mountinfo"))
        guard let own = DelegatedGroup.path(groups: groups, mounts: mounts) else { return nil }
        let group = "\(own)/skyfarm-test-\(UInt32.random(in: 0 ... .max))"
        guard mkdir(group, 0o755) == 0 else { return nil }
        let mark = "import os, sys; os.setxattr(sys.argv[1], 'user.delegate', b'1')"
        let result = try Program.run(path: "/usr/bin/python3", ["-c", mark, group])
        guard result.code == 0 else {
            rmdir(group)
            return nil
        }
        return group
    }

    /// The processes with this text in their command lines.
    private func processes(_ mark: String) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { id in
            FileManager.default.contents(atPath: "/proc/\(id)/cmdline")?.range(of: Data(mark.utf8)) != nil
        }
    }

    @Test("in a delegated group nothing survives of a program that ends its supervisor; without one there is none")
    func killedSupervisor() throws {
        let mine = Machine(scene, "mine")
        guard let group = try delegatedGroup() else {
            #expect(DelegatedGroup() == nil)
            return
        }
        defer { for name in ["/node", ""] { rmdir(group + name) } }
        let mark = "10.5\(UInt32.random(in: 0 ... .max))"
        let script = try scene.script(
            "case $1 in a) cat /proc/self/cgroup;; b) setsid sleep \(mark) & sleep 0.1; kill -9 $PPID; sleep 9;; esac",
            "work.sh")
        let source = """
            import os, signal, subprocess
            def group(x): return open("/proc/self/cgroup").read()
            def leave(x):
                subprocess.Popen(["sleep", "\(mark)"], start_new_session=True)
                os.kill(os.getppid(), signal.SIGKILL)
                # The worker ends with its supervisor, without an answer.
                signal.pause()
            """
        let module = try scene.write(Array(source.utf8), "m.py")
        let enter = "echo $$ >'\(group)/cgroup.procs' && exec \"$0\" \"$@\""
        let node = try Program(
            ["node", "--name", "n", "--slots", "1", "--listen", "127.0.0.1:0", "--program", "work=\(script)"]
                + ["--python", "m=\(module),/usr/bin/python3"],
            prefix: ["sh", "-c", enter], environment: mine.environment)
        let address = try String(#require(node.firstLine().split(separator: " ").dropFirst(2).first))
        let items = try scene.write(Array("b\na\n".utf8), "items")
        let result = try mine.run(
            ["map", "work", "{item}", "-o", "-", "--items", items, "--max-attempts", "1", "--no-discovery"]
                + ["--node", address])
        #expect(result.code == 23 && result.output.contains("/programs-"), "\(result.output)\(result.errors)")
        #expect(result.errors.contains("the supervisor of the program has ended"), "\(result.errors)")
        #expect(try processes(mark).isEmpty)
        // A worker has a group as well, and is ended with it.
        let values = try scene.write(Array("1\n".utf8), "values")
        let words = [values, "--no-discovery", "--node", address, "--max-attempts", "1"]
        #expect(try mine.run(["call", "m.group"] + words).output.contains("/programs-"))
        #expect(try mine.run(["call", "m.leave"] + words).code == 23)
        #expect(try processes(mark).isEmpty)
        node.send(SIGTERM)
        #expect(try node.finish().code == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: group).filter { $0.hasPrefix("programs-") }
        #expect(names.isEmpty)
    }
}
