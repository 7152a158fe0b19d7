import CommandLineKit
import Foundation
import ScanSecurity
import Testing

/// `skyfarm map` with nodes on this machine.
@Suite("programs on nodes", .timeLimit(.minutes(10))) struct MapCommandTests {
    let scene: Scene
    let mine: Machine

    init() throws {
        scene = try Scene()
        mine = Machine(scene, "mine")
        for name in ["in", "scratch"] { mkdir(scene.path(name), 0o700) }
        for number in 1...9 { _ = try scene.write(Array("line \(number)\n".utf8), "in/f\(number).txt") }
    }

    /// A node that runs a script as `work`.
    private func node(_ script: String, name: String = "n", slots: Int = 2) throws -> Node {
        let path = try scene.script(script, "work-\(name).sh")
        return try Node(
            name, slots: slots, ["--program", "work=\(path)", "--scratch", scene.path("scratch")],
            environment: mine.environment)
    }

    private func map(_ nodes: [Node], _ words: [String]) throws -> Program.Result {
        try mine.run(
            ["map", "work"] + words.prefix { $0 != "--" } + nodes.flatMap { ["--node", $0.address] }
                + ["--no-discovery", "--wait", "20"] + words.drop { $0 != "--" })
    }

    private var inputs: [String] { ["--", scene.path("in")] }

    @Test("files go there and results come back, as many as there are inputs")
    func files() throws {
        let node = try node("wc -c <$1 | tr -d ' ' >$2; cat $3 >>$2")
        let shared = try scene.write(Array("common\n".utf8), "common.txt")
        let words = ["{in}", "{out}", "{shared:common.txt}", "--shared", shared, "--out", "{stem}.n", "-o"]
        let result = try map([node], words + [scene.path("out/")] + inputs)
        #expect(result.code == 0, "\(result.errors)")
        #expect(scene.outputs == (1...9).map { "f\($0).n" })
        #expect(try scene.bytes("out/f3.n") == Data("7\ncommon\n".utf8))
        let again = try map([node], words + [scene.path("out/")] + inputs)
        #expect(again.code == 6 && again.errors.contains("exists already"), "\(again.errors)")
    }

    @Test("standard output is joined in the order of the items, whatever ends first")
    func order() throws {
        let node = try node("sleep 0.$((10 - $1)); echo item $1", slots: 4)
        let items = try scene.write(Array("1\n2\n3\n4\n5\n6\n7\n".utf8), "items")
        let result = try map([node], ["{item}", "-o", "-", "--items", items])
        #expect(result.code == 0 && result.output == (1...7).map { "item \($0)\n" }.joined(), "\(result.errors)")
    }

    @Test("failed items are named with their last lines, and tried again if that is asked for")
    func failures() throws {
        let flag = scene.path("tried")
        let node = try node(
            "case $1 in f4*) echo why >&2; exit 3;; f5*) test -e \(flag) || { touch \(flag); exit 4; };; esac; cat $1")
        let log = scene.path("joblog")
        let result = try map(
            [node], ["{in}", "-o", scene.path("out/"), "--retry", "1", "--retry-on", "4", "--joblog", log] + inputs)
        #expect(result.code == 23)
        #expect(result.errors.contains("in/f4.txt failed: exit code 3 (on n)\nskyfarm:   why\n"), "\(result.errors)")
        #expect(scene.outputs == [1, 2, 3, 5, 6, 7, 8, 9].map { "f\($0).out" })
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(lines[0] == "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand")
        #expect(lines.count == 11 && lines.count { $0.contains("\t4\t0\twork f5.txt") } == 1)
        let fast = try map([node], ["{in}", "-o", scene.path("fast/"), "--fail-fast", "--ok-codes", "7"] + inputs)
        #expect(fast.code == 23 && fast.errors.contains("8 not run"), "\(fast.errors)")
    }

    @Test("--resume runs what is missing, has failed or has changed, and nothing else")
    func resume() throws {
        let ran = scene.path("ran")
        let node = try node("echo $1 >>\(ran); test -e \(scene.path("bad")) && exit 1; cat $1", slots: 1)
        let words = ["{in}", "-o", scene.path("out/"), "--resume"]
        func run(_ words: [String]) throws -> [String] {
            try? FileManager.default.removeItem(atPath: ran)
            _ = try map([node], words + inputs)
            return ((try? String(contentsOfFile: ran, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
                .sorted()
        }
        #expect(try run(words).count == 9)
        #expect(try run(words).isEmpty)
        _ = try scene.write(Array("changed\n".utf8), "in/f2.txt")
        unlink(scene.path("out/f7.out"))
        #expect(try run(words) == ["f2.txt", "f7.txt"])
        #expect(try scene.bytes("out/f2.out") == Data("changed\n".utf8))
        _ = try scene.write([], "bad")
        _ = try scene.write(Array("again\n".utf8), "in/f3.txt")
        #expect(try run(words) == ["f3.txt"])
        unlink(scene.path("bad"))
        #expect(try run(words) == ["f3.txt"])
        #expect(try run(["-x"] + words).count == 9)
    }

    @Test("a dry run prints the command lines, and batches join inputs")
    func dryRun() throws {
        let words = ["-n", "{in}", "--batch", "4", "-o", "-", "--dry-run"]
        let result = try map([], words + inputs)
        #expect(result.code == 0)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 3 && lines[0] == "work -n f1.txt f2.txt f3.txt f4.txt", "\(result.output)")
        // A word with a line end and escape sequences is in one line, and a shell reads it so.
        let word = "it's\nrm \u{1b}[2J\u{202e}"
        let shown = try map([], [word, "{in}", "-o", "-", "--dry-run"] + inputs)
        let first = try #require(shown.output.split(separator: "\n").first)
        #expect(first == #"work $'it\'s\012rm \033[2J\342\200\256' f1.txt"#, "\(shown.output)")
        let read = try Program.run(path: "/bin/bash", ["-c", "work() { printf %s \"$1\"; }; \(first)"])
        #expect(read.output == word)
    }

    @Test("runs of two processors take two slots each")
    func processors() throws {
        let trace = scene.path("trace")
        let node = try node("echo + >>\(trace); sleep 0.1; echo - >>\(trace); echo $1 $SKYFARM_CPUS", slots: 4)
        let result = try map([node], ["{cpus}", "-o", "-", "--cpus", "2", "--memory", "64M"] + inputs)
        #expect(result.code == 0 && result.output == String(repeating: "2 2\n", count: 9), "\(result.errors)")
        var (running, most) = (0, 0)
        for line in try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n") {
            running += line == "+" ? 1 : -1
            most = max(most, running)
        }
        #expect(most == 2)
    }

    @Test("two items with one result, results that are inputs and unknown inputs are refused before anything runs")
    func clashes() throws {
        let folder = scene.path("in")
        #expect(try map([], ["-o", scene.path("out/x")] + inputs).code == 2)
        #expect(try map([], ["-o", folder + "/", "--out", "{item}", "--overwrite"] + inputs).code == 2)
        #expect(try map([], ["-o", "-", "--", folder + "/none"]).code == 5)
        #expect(try map([], ["{shared:x}", "-o", "-"] + inputs).code == 2)
        let batch = ["{in}", "--batch", "2", "--out", "{stem}.n", "-o", scene.path("out/{number}.n")]
        #expect(try map([], batch + inputs).code == 2)
        #expect(try map([], ["-o", "-", "--joblog", folder + "/f1.txt"] + inputs).code == 2)
        let other = try scene.write(Array("mine".utf8), "notes.txt")
        #expect(try map([], ["-o", "-", "--joblog", other] + inputs).errors.contains("is no such log"))
        #expect(try scene.bytes("notes.txt") == Data("mine".utf8))
        mkdir(scene.path("f1"), 0o700)
        #expect(try map([], ["-o", scene.folder + "/", "--collect"] + inputs).code == 6)
    }

    @Test("a file that lies on a node is refused with the command that runs there", arguments: ["alpha", "*"])
    func onNode(node: String) throws {
        let list = try scene.write(Array("\(node):/night/a.cat\n".utf8), "list")
        let file = "\(node):/night/a.cat"
        for words in [["--", file], ["--", "@" + list], ["--with", file] + inputs, ["--shared", file] + inputs] {
            let result = try map([], ["-o", "-", "--dry-run"] + words)
            let command = "`skyfarm submit map --on \(node == "*" ? "NODE" : node) ... -- /night/a.cat`"
            #expect(result.code == 5 && result.errorLines.count == 1, "\(result.errors)")
            #expect(result.errors.contains("lies on a node") && result.errors.contains(command), "\(result.errors)")
        }
        // A shell here must not expand a pattern.
        let pattern = try map([], ["-o", "-", "--", "\(node):/night/*.cat"])
        #expect(pattern.errors.contains("... -- '/night/*.cat'`"), "\(pattern.errors)")
    }

    @Test("what programs print cannot control a terminal, and is as it is elsewhere")
    func terminal() throws {
        let node = try node("printf 'a\\033[2J\\033]0;x\\007\\303\\251\\tb\\r\\n'")
        let items = ["--items", try scene.write(Array("1\n2\n".utf8), "items")]
        let raw = try map([node], ["-o", "-"] + items)
        #expect(raw.output == String(repeating: "a\u{1b}[2J\u{1b}]0;x\u{7}é\tb\r\n", count: 2), "\(raw.errors)")
        var (own, terminal): (Int32, Int32) = (-1, -1)
        try #require(openpty(&own, &terminal, nil, nil, nil) == 0)
        defer { for end in [own, terminal] { close(end) } }
        let path = String(cString: try #require(ttyname(terminal)))
        let program = try Program(
            ["map", "work", "-o", "-", "--no-discovery", "--node", node.address] + items, output: .file(path),
            environment: mine.environment)
        let result = try program.finish()
        // The terminal makes "\r\n" of a line end, and passes on what it gets a moment later.
        let line = "a\u{fffd}[2J\u{fffd}]0;x\u{fffd}é\tb\u{fffd}\r\n"
        var shown: [UInt8] = []
        var entry = pollfd(fd: own, events: Int16(POLLIN), revents: 0)
        while shown.count < 2 * line.utf8.count, poll(&entry, 1, 20_000) > 0 {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(own, &bytes, bytes.count)
            if count <= 0 { break }
            shown += bytes.prefix(count)
        }
        #expect(result.code == 0, "\(result.errors)")
        #expect(String(decoding: shown, as: UTF8.self) == line + line)
    }

    @Test("a list that names itself is an error")
    func listOfLists() throws {
        let list = try scene.write(Array("@\(scene.path("list"))\n".utf8), "list")
        #expect(try map([], ["-o", "-", "--", "@" + list]).code == 5)
    }

    @Test("--resume runs an item again whose result has another name by now")
    func renumbered() throws {
        let node = try node("cat $1")
        let words = ["{in}", "-o", scene.path("out/{number}.out"), "--resume", "--"]
        #expect(try map([node], words + [2, 3].map { scene.path("in/f\($0).txt") }).code == 0)
        #expect(try map([node], words + [1, 2, 3].map { scene.path("in/f\($0).txt") }).code == 0)
        for number in 1...3 { #expect(try scene.bytes("out/\(number).out") == Data("line \(number)\n".utf8)) }
    }

    @Test("what items have printed is not lost if an item before them has not run")
    func stoppedOrder() throws {
        // All three run at once, in whatever order they arrive.
        let node = try node("case $1 in f1*) sleep 60;; f3*) sleep 2; exit 1;; esac; cat $1", slots: 3)
        let files = ["--"] + (1...3).map { scene.path("in/f\($0).txt") }
        let result = try map([node], ["{in}", "-o", "-", "--fail-fast"] + files)
        #expect(result.code == 23 && result.output == "line 2\n", "\(result.errors)")
    }

    @Test("a batch with a file for each input writes them under the names of -o")
    func namedBatch() throws {
        let node = try node("for f in f*.txt; do cp $f ${f%.txt}.n; done")
        let words = ["{in}", "{out}", "--batch", "3", "-o", scene.path("out/{stem}.n")]
        let result = try map([node], words + inputs)
        #expect(result.code == 0 && scene.outputs == (1...9).map { "f\($0).n" }, "\(result.errors)")
    }

    @Test("a program that no node gives away is named with the command that gives it")
    func noProgram() throws {
        let node = try Node("n", environment: mine.environment)
        let result = try mine.run(
            ["map", "work", "-o", "-", "--node", node.address, "--no-discovery", "--wait", "1"] + inputs)
        #expect(result.code == 3 && result.errors.contains("skyfarm node --program work=PATH"), "\(result.errors)")
    }

    @Test("nodes list their programs, and this machine runs one as well")
    func listed() throws {
        let node = try node("cat $1")
        let listed = try mine.run(["nodes", "--no-discovery", "--node", node.address, "--json"])
        #expect(listed.output.contains("\"programs\" : [\n        \"work\""), "\(listed.output)")
        let local = try mine.run(
            ["map", "work", "{in}", "-o", "-", "--no-discovery", "--local-slots", "2"]
                + ["--local-program", "work=\(scene.path("work-n.sh"))"] + inputs)
        #expect(local.code == 0 && local.output == (1...9).map { "line \($0)\n" }.joined(), "\(local.errors)")
    }

    @Test("a killed node loses no item, and nothing of its programs survives")
    func killedNode() throws {
        let mark = "sleep 0.3\(UInt32.random(in: 0 ... .max))"
        let first = try node("\(mark); cat $1", name: "first")
        let second = try node("\(mark); cat $1", name: "second")
        let run = try Program(
            ["map", "work", "{in}", "-o", "-", "--no-discovery", "--node", first.address, "--node", second.address]
                + ["--progress", "json"] + inputs, environment: mine.environment)
        try run.waitForErrors(#""event":"finished""#)
        first.program.send(SIGKILL)
        let result = try run.finish()
        #expect(result.code == 0 && result.output == (1...9).map { "line \($0)\n" }.joined(), "\(result.errors)")
        let ids = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        let left = ids.filter { id in
            FileManager.default.contents(atPath: "/proc/\(id)/cmdline")?
                .range(of: Data(mark.split(separator: " ")[1].utf8)) != nil
        }
        #expect(left.isEmpty)
    }

    @Test("Ctrl-C stops in order, and --resume goes on")
    func interrupted() throws {
        let node = try node("sleep 0.2; cat $1", slots: 1)
        let words =
            ["map", "work", "{in}", "-o", scene.path("out/"), "--no-discovery", "--node", node.address]
            + ["--progress", "json", "--resume"] + inputs
        let run = try Program(words, environment: mine.environment)
        try run.waitForErrors(#""event":"finished""#)
        run.send(SIGINT)
        let result = try run.finish()
        #expect(result.code == 130 && result.errors.contains("--resume goes on"), "\(result.errors)")
        let resumed = try mine.run(Array(words))
        #expect(resumed.code == 0 && resumed.errors.contains(#""event":"resumed""#), "\(resumed.errors)")
        #expect(scene.outputs.count == 9)
    }
}
