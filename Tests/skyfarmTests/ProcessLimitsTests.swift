import Foundation
import Testing
import skyfarm

@Suite("limits of a process") struct ProcessLimitsTests {
    @Test("too few files or too little memory are named with the remedy")
    func problems() throws {
        let unlimited = UInt64.max
        #expect(ProcessLimits.problem(files: 1024, memory: unlimited) == nil)
        #expect(ProcessLimits.problem(files: 32, memory: 256 << 20) == nil)
        #expect(
            ProcessLimits.problem(files: 16, memory: unlimited)
                == "only 16 files may be open: allow at least 32, as by `ulimit -n 1024`")
        #expect(
            ProcessLimits.problem(files: 1024, memory: 100 << 20)
                == "only 100 MiB of memory may be used: allow at least 256 MiB, as by `ulimit -v unlimited`")
    }

    @Test(
        "a program that may open few files, or use little memory, ends with a line and not by a signal",
        arguments: ["ulimit -n 8", "ulimit -n 16", "ulimit -n 31", "ulimit -v 120000"])
    func few(limit: String) throws {
        let scene = try Scene()
        let image = try scene.sky()
        let words = ["scan", image, "-o", scene.path("out/o.csv"), "--no-discovery", "--no-journal"]
        let result = try Program.run(path: "/bin/sh", ["-c", "\(limit); exec \"$0\" \"$@\"", Program.path] + words)
        #expect(result.code == 1 && result.errorLines.count == 1, "\(result.code) \(result.errors)")
        #expect(result.errors.hasPrefix("skyfarm: only "), "\(result.errors)")
    }

    @Test(
        "a scan with many slots and few addresses uses fewer threads, so that others can be started",
        .timeLimit(.minutes(10)))
    func manySlots() throws {
        let scene = try Scene()
        let image = try scene.sky()
        let words = ["scan", image, "-o", scene.path("out/o.csv"), "--no-discovery", "--no-journal"]
        for kilobytes in [307_200, 400_000, 1_000_000] {
            let result = try Program.run(
                path: "/bin/sh",
                ["-c", "ulimit -v \(kilobytes); exec \"$0\" \"$@\"", Program.path] + words
                    + ["--local-slots", "64", "--overwrite"])
            let isTold = result.code == 1 && result.errors.contains("MiB of memory may be used: allow more")
            let runsFewer = result.code == 0 && result.errors.contains("tasks at a time, not 64: ")
            #expect(runsFewer || isTold, "\(kilobytes): \(result.code) \(result.errors)")
        }
    }

    @Test("a scan without environment has the home folder of its user", .enabled(if: geteuid() == 0, "mounts"))
    func empty() throws {
        let scene = try Scene()
        let image = try scene.sky()
        // What it writes there is gone with the name space.
        let script = """
            home=$(getent passwd "$(id -u)" | cut -d: -f6)
            for folder in .config .local .cache; do
                mkdir -p "$home/$folder" && mount -t tmpfs none "$home/$folder" || exit 99
            done
            exec env -i "$@"
            """
        let words = ["scan", image, "-o", scene.path("out/o.csv"), "--no-discovery"]
        let result = try Program.run(path: "unshare", ["-m", "sh", "-c", script, "sh", Program.path] + words)
        #expect(result.code == 0, "\(result.errors)")
        #expect(scene.outputs == ["o.csv"])
    }

    @Test(
        "a scan of a user without an account and without environment keeps no journal",
        .enabled(if: geteuid() == 0, "mounts"))
    func withoutAccount() throws {
        let scene = try Scene()
        let image = try scene.sky()
        // Without the second file other sources of accounts count, some of which know root.
        let script = """
            mount --bind /dev/null /etc/passwd && mount --bind /dev/null /etc/nsswitch.conf || exit 99
            exec env -i "$@"
            """
        for further in [[], ["-o", scene.path("out/{ext}.csv")]] {
            let words = ["scan", image, "-o", scene.path("out/o.csv"), "--no-discovery", "--overwrite"] + further
            let result = try Program.run(path: "unshare", ["-m", "sh", "-c", script, "sh", Program.path] + words)
            #expect(result.code == 0, "\(result.errors)")
            #expect(result.errors.contains("that is stopped starts over: neither HOME nor XDG_STATE_HOME is set"))
        }
        #expect(scene.outputs == ["0.csv", "o.csv"])
    }
}
