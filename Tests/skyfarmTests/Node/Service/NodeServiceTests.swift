import skyfarm
import CommandLineKit
import Foundation
import Testing

import NodeDaemon

@Suite(.timeLimit(.minutes(10))) struct NodeServiceTests {
    let folder: SynthCommandTests.Folder

    init() throws { folder = try SynthCommandTests.Folder() }

    static let hasSystemd = access("/usr/bin/systemd-analyze", X_OK) == 0

    func service(_ owner: NodeService.Owner, _ options: [String] = []) -> NodeService {
        NodeService(program: Program.path, options: options, owner: owner)
    }

    @Test("the options of the node go into the service, those about the service do not")
    func options() throws {
        let words = ["--slots", "2", "--user", "--name=a%b", "--install-service", "--listen", ":1", "--dry-run=true"]
        let parser = CommandLineParser(Skyfarm.program)
        guard case .run(_, let arguments) = try parser.parse(["node"] + words) else {
            throw UsageError("help")
        }
        let request = try #require(try NodeCommand.Options(arguments).service)
        #expect(request.owner == .user && request.isDryRun)
        #expect(request.options == ["--slots", "2", "--name=a%b", "--listen", ":1"])
    }

    @Test("a service scans at low priority, unless its options say otherwise")
    func niceness() {
        #expect(service(.system, ["--slots", "2"]).command.suffix(4) == ["--slots", "2", "--nice", "10"])
        #expect(service(.user, ["--nice", "3"]).command.suffix(2) == ["--nice", "3"])
        #expect(service(.user, ["--nice=0"]).command.last == "--nice=0")
        #expect(service(.system).systemdUnit.contains(" node --nice 10\nRestart="))
    }

    @Test("a service weighs little beside other programs, and sees load and terminals only if it must")
    func weight() {
        for owner in [NodeService.Owner.system, .user] {
            #expect(
                service(owner).systemdUnit.contains(
                    "\nSlice=-.slice\nCPUWeight=5\nIOWeight=5\nIOSchedulingClass=idle\n"))
        }
        #expect(service(.system).systemdUnit.contains("\nPrivateDevices=yes\nProcSubset=pid\n"))
        for options in [["--max-load", "2"], ["--when-idle=10m"]] {
            let unit = service(.system, options).systemdUnit
            #expect(!unit.contains("PrivateDevices") && !unit.contains("ProcSubset"))
        }
    }

    @Test("options about the service alone are a mistake", arguments: ["--user", "--dry-run"])
    func lone(option: String) async {
        #expect(await Skyfarm.run(["node", option], environment: [:]) == .usage)
    }

    @Test(
        "a word of the command means the same to systemd",
        arguments: [
            ("--slots", "--slots"), ("a b", "\"a b\""), ("50%", "\"50%%\""), ("$HOME", "\"$$HOME\""),
            ("say \"a\\b\"", "\"say \\\"a\\\\b\\\"\""), ("", "\"\""),
        ])
    func quoting(word: String, quoted: String) {
        #expect(quotedForSystemd(word) == quoted)
    }

    @Test("folders of images are visible to the machine's service wherever they are, and have whole paths")
    func data() async throws {
        let folders = ["/home/me/50% $a", "/images"]
        let unit = NodeService(program: "/bin/a", options: [], owner: .system, data: folders).systemdUnit
        #expect(unit.contains("\nBindReadOnlyPaths=-\"/home/me/50%% $a\"\nBindReadOnlyPaths=-/images\n"))
        for option in ["--data", "--accept-jobs", "--store"] {
            let words = ["node", "--install-service", "--dry-run", option, "images"]
            #expect(await Skyfarm.run(words, environment: [:]) == .usage)
        }
    }

    @Test("a folder of jobs is visible to the machine's service, and the one that it may write to")
    func accepted() {
        let unit = NodeService(
            program: "/bin/a", options: [], owner: .system, data: ["/images"], written: ["/home/me/50% $a"]
        ).systemdUnit
        let folder = "-\"/home/me/50%% $a\"\n"
        #expect(unit.contains("\nBindPaths=\(folder)ReadWritePaths=\(folder)"), "\(unit)")
        #expect(!unit.contains("ReadWritePaths=-/images"))
    }

    @Test("the control group of a service that runs programs is delegated to it, and is read-only for others")
    func controlGroups() {
        func unit(_ options: [String]) -> String {
            NodeService(program: "/bin/a", options: options, owner: .system).systemdUnit
        }
        for options in [["--program", "p=/bin/true"], ["--python", "m=/opt/m"], ["--python=m=/opt/m"]] {
            let programs = unit(options)
            #expect(programs.contains("\nDelegate=yes\n") && programs.contains("\nKillMode=mixed\n"))
            #expect(!programs.contains("ProtectControlGroups"))
        }
        #expect(unit([]).contains("\nProtectControlGroups=yes\n") && !unit([]).contains("Delegate="))
    }

    @Test(
        "systemd finds no fault with the unit", .enabled(if: hasSystemd, "needs systemd-analyze"),
        arguments: [NodeService.Owner.system, .user])
    func verify(owner: NodeService.Owner) throws {
        let path = folder.path("skyfarm-node.service")
        var service = service(owner, ["--name", "50% of \"$a\""])
        service.data = ["/home/me/a b", "/images"]
        service.written = ["/home/me/jobs of others"]
        let unit = service.systemdUnit
        try unit.write(toFile: path, atomically: true, encoding: .utf8)
        func verify() throws -> Program.Result {
            try Program.run(
                path: "systemd-analyze", (owner == .user ? ["--user"] : []) + ["--man=no", "verify", path],
                environment: ["XDG_RUNTIME_DIR": folder.url.path])
        }
        let result = try verify()
        #expect(result.code == 0 && result.output.isEmpty && result.errors.isEmpty, "\(result.errors)")
        // It does look.
        try (unit + "Nonsense=yes\n").write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try verify().errors.contains("Nonsense"))
    }

    @Test(
        "the machine's service is shut in: systemd's exposure level is below 2.5",
        .enabled(if: hasSystemd, "needs systemd-analyze"))
    func exposure() throws {
        let path = folder.path("skyfarm-node.service")
        try service(.system).systemdUnit.write(toFile: path, atomically: true, encoding: .utf8)
        func result(threshold: Int) throws -> Program.Result {
            try Program.run(
                path: "systemd-analyze",
                ["security", "--no-pager", "--offline=true", "--threshold=\(threshold)", path])
        }
        let strict = try result(threshold: 24)
        #expect(strict.code == 0, "\(strict.output)")
        #expect(try result(threshold: 1).code != 0)
    }

    @Test("launchd can read the job, which stays disabled until its user enables it")
    func launchd() throws {
        let text = try service(.user, ["--name", "a&b"]).launchdJob(home: "/Users/me")
        let list = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
        let job = try #require(list as? [String: Any])
        #expect(job["Label"] as? String == "skyfarm-node" && job["Disabled"] as? Bool == true)
        #expect(job["ProgramArguments"] as? [String] == [Program.path, "node", "--name", "a&b", "--nice", "10"])
        #expect(throws: CommandError.self) { try ServiceFile(service(.system), .launchd, environment: [:]) }
    }

    @Test("a user's file goes where the service manager looks, and is written whole")
    func write() throws {
        let environment = ["HOME": folder.url.path]
        let file = try ServiceFile(service(.user), .systemd, environment: environment)
        #expect(file.path == folder.path(".config/systemd/user/skyfarm-node.service"))
        #expect(try file.write())
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == service(.user).systemdUnit)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path(".config/systemd/user"))
                == ["skyfarm-node.service"])
        #expect(try !file.write())
        let job = try ServiceFile(service(.user), .launchd, environment: environment)
        #expect(job.path == folder.path("Library/LaunchAgents/skyfarm-node.plist"))
    }

    @Test("a file that says something else is left alone")
    func present() throws {
        let file = try ServiceFile(service(.user), .systemd, environment: ["XDG_CONFIG_HOME": folder.url.path])
        #expect(try file.write())
        try "mine".write(toFile: file.path, atomically: true, encoding: .utf8)
        let error = #expect(throws: CommandError.self) { try file.write() }
        #expect(error?.code == .output && error?.description.contains("remove it") == true)
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "mine")
    }

    @Test("the program is named as it was found")
    func programPath() {
        func path(_ argument: String) -> String? {
            NodeService.programPath(argument, environment: ["PATH": "nowhere:/bin:/usr/bin"], folder: "/a/b")
        }
        #expect(path("sh") == "/bin/sh")
        #expect(path("../bin/skyfarm") == "/a/bin/skyfarm")
        #expect(path("/opt/skyfarm") == "/opt/skyfarm")
        #expect(path("no such program") == nil)
    }

    @Test("a program in a home folder, or closed to others, is nothing for the machine's service")
    func programForAll() throws {
        #expect(NodeService(program: "/bin/sh", options: [], owner: .system).isProgramForAll)
        let path = folder.path("program")
        try "".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(!NodeService(program: path, options: [], owner: .system).isProgramForAll)
        #expect(!NodeService(program: "/no/such/program", options: [], owner: .system).isProgramForAll)
    }

    @Test(
        "where systemd does not run the machine, nothing is written, and the unit can still be seen",
        .enabled(if: access("/run/systemd/system", F_OK) != 0, "this machine is run by systemd"))
    func elsewhere() throws {
        let environment = ["HOME": folder.url.path]
        let words = ["node", "--slots", "3", "--install-service", "--user"]
        let refused = try Program.run(words, environment: environment)
        #expect(refused.code == 1 && refused.errorLines.count == 1 && folder.names.isEmpty)
        let shown = try Program.run(words + ["--dry-run"], environment: environment)
        #expect(shown.code == 0 && shown.errors.isEmpty && folder.names.isEmpty)
        #expect(shown.output == service(.user, ["--slots", "3"]).systemdUnit)
    }
}
