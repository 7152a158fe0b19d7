import Foundation
import ProgramTask
import ScanCluster
import Testing

@testable import MapCommand

/// Runs of one program, one after the other, where the next one is sent while one runs.
@Suite("series of programs", .timeLimit(.minutes(10))) struct ProgramSeriesTests {
    let box: ProgramBox

    init() throws { box = try ProgramBox() }

    private func series(_ count: Int, _ change: (inout ProgramTask) -> Void = { _ in }) -> ProgramSeries {
        ProgramSeries(
            (0..<count).map { number in
                var task = ProgramTask(id: number, program: "p", arguments: ["\(number)"], inputs: [], outputs: [])
                task.returnsOutput = true
                change(&task)
                return task
            })
    }

    private func texts(_ outputs: [ProgramOutput]) -> [String] {
        outputs.map { String(decoding: $0.content(at: 0), as: UTF8.self) }
    }

    @Test("each has an empty folder with its own input, and its own output and exit code")
    func outputs() throws {
        let host = try box.host("ls -A; cat in; echo $1 >left; mkdir -p a/b; exit $(($1 % 2))")
        defer { host.close() }
        let tasks = series(7) { task in
            task.inputs = [.init(name: "in", size: 1 + task.id)]
            task.okCodes = [0, 1]
        }
        let inputs = (0..<7).flatMap { Array(repeating: UInt8(ascii: "a") + UInt8($0), count: 1 + $0) }
        for _ in 0..<2 {
            let bulk = BulkBytes(byteCount: inputs.count) { $0.copyBytes(from: inputs) }
            let outputs = try host.run(tasks, ScanContext(bulk: bulk))
            #expect(outputs.map(\.end) == (0..<7).map { .exited($0 % 2) })
            let letters = Array("abcdefg").enumerated().map { String(repeating: $1, count: 1 + $0) }
            #expect(texts(outputs) == letters.map { "in\n" + $0 })
        }
    }

    @Test("none begins before all processes of the one before it have ended")
    func leftProcesses() throws {
        let trace = box.scene.path("trace")
        let host = try box.host(
            "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -o 'sleep 9876[5]' >>\(trace);"
                + " setsid sleep 98765 & exit 0")
        defer { host.close() }
        let outputs = try host.run(series(2), ScanContext())
        #expect(outputs.count == 2)
        #expect(outputs.allSatisfy { $0.failure(okCodes: [0])?.hasPrefix("ended and left ") == true }, "\(outputs)")
        #expect(try String(contentsOfFile: trace, encoding: .utf8).isEmpty)
        #expect(box.survivors.isEmpty)
    }

    @Test("after a cancellation the next one is not begun")
    func cancelled() throws {
        let trace = box.scene.path("trace")
        let host = try box.host("echo $1 >>\(trace); sleep 1000")
        defer { host.close() }
        let cancellation = ScanCancellation()
        let running = box.watch
        Thread.detachNewThread {
            while running.processes.allSatisfy({ !$0.contains("1000") }) { usleep(1000) }
            cancellation.cancel()
        }
        #expect(throws: CancellationError.self) {
            try host.run(series(3), ScanContext(cancellation: cancellation))
        }
        #expect(try String(contentsOfFile: trace, encoding: .utf8) == "0\n")
        #expect(box.survivors.isEmpty)
    }

    @Test("programs that take long, or return much, are not begun in the same series")
    func early() throws {
        let host = try box.host("case $1 in 1) sleep 0.6;; esac; echo $1")
        defer { host.close() }
        // The third one was sent while the second one ran.
        #expect(try texts(host.run(series(8), ScanContext())) == ["0\n", "1\n", "2\n"])
        let other = try ProgramBox()
        let large = try other.host("head -c 2000000 /dev/zero")
        defer { large.close() }
        #expect(try large.run(series(8), ScanContext()).count == 2)
    }

    @Test("a series has more than one item only if runs are short and their files small")
    func length() {
        func length(_ seconds: Double, _ bytes: Int, runs: Int = SeriesLength.known) -> SeriesLength {
            var output = ProgramOutput(end: .exited(0))
            (output.seconds, output.contents) = (seconds, Array(repeating: 0, count: bytes))
            var length = SeriesLength()
            for _ in 0..<runs { length.note(output) }
            return length
        }
        #expect(length(0.000_9, 10).count(of: 10_000) == 22)
        #expect(length(0.000_01, 10).count(of: 10_000) == ProgramSeries.most)
        #expect(length(0, 0).count(of: 10_000) == ProgramSeries.most)
        #expect(length(0.001, 10, runs: 3).count(of: 10_000) == 1)
        #expect(length(0.03, 10).count(of: 10_000) == 1)
        #expect(length(0.001, 40_000).count(of: 10_000) == 1)
        #expect(length(0.001, 10).count(of: 40) == 5)
        #expect(length(0.001, 10).count(of: 3) == 1)
    }
}

/// Many short items of `skyfarm map`, which go to nodes in series.
@Suite("short items", .timeLimit(.minutes(10))) struct ShortItemTests {
    let scene: Scene
    let mine: Machine

    init() throws {
        scene = try Scene()
        mine = Machine(scene, "mine")
    }

    @Test("items in series have their own results, failures and lines of the log, and are fewer tasks")
    func many() throws {
        let script = try scene.script("case $1 in *7) echo bad $1 >&2; exit 3;; esac; echo item $1", "work.sh")
        let node = try Node("n", ["--program", "work=\(script)"], environment: mine.environment)
        let items = try scene.write(Array((1...400).map { "\($0)\n" }.joined().utf8), "items")
        let log = scene.path("joblog")
        let result = try mine.run(
            ["map", "work", "{item}", "-o", "-", "--items", items, "--retry", "1", "--joblog", log]
                + ["--node", node.address, "--no-discovery", "--wait", "20"])
        #expect(result.code == 23)
        let good = (1...400).filter { $0 % 10 != 7 }
        #expect(result.output == good.map { "item \($0)\n" }.joined())
        #expect(result.errors.contains("360 of 400 items done, 40 failed"), "\(result.errors)")
        #expect(result.errors.contains("17 failed: exit code 3 (on n)\nskyfarm:   bad 17\n"), "\(result.errors)")
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").dropFirst()
        let numbers = lines.compactMap { $0.split(separator: "\t").first.flatMap { Int($0) } }
        // Failed ones have run twice.
        #expect(numbers.sorted() == (good + (1...400).filter { $0 % 10 == 7 }.flatMap { [$0, $0] }).sorted())
    }

    /// Gives a file the times of another one, which a copy does not have.
    private func setTimes(of path: String, asOf other: String) throws {
        var status = stat()
        try #require(stat(other, &status) == 0)
        try #require(utimensat(AT_FDCWD, path, [status.st_atim, status.st_mtim], 0) == 0)
    }

    @Test("large inputs and shared files below --data are read there, and sent if they are others")
    func references() throws {
        let script = try scene.script("cat \"$@\" | cksum", "work.sh")
        for folder in ["in", "data/in"] {
            try FileManager.default.createDirectory(atPath: scene.path(folder), withIntermediateDirectories: true)
        }
        for number in 0..<3 {
            let path = try scene.write(Array(repeating: 65 + UInt8(number), count: 100_000), "in/f\(number).bin")
            try FileManager.default.copyItem(atPath: path, toPath: scene.path("data/in/f\(number).bin"))
            try setTimes(of: scene.path("data/in/f\(number).bin"), asOf: path)
        }
        let node = try Node(
            "n", ["--program", "work=\(script)", "--data", scene.path("data")], environment: mine.environment)
        func map(_ folder: String, _ words: [String]) throws -> (sent: Int, read: Int, files: [String]) {
            let result = try mine.run(
                ["map", "work", "{in}", "-o", scene.path("\(folder)/"), "--json", "--node", node.address]
                    + ["--no-discovery", "--wait", "20"] + words + ["--", scene.path("in")])
            #expect(result.code == 0, "\(result.errors)")
            let report = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            let files = try (0..<3).map { String(decoding: try scene.bytes("\(folder)/f\($0).out"), as: UTF8.self) }
            return (report?["bytesSent"] as? Int ?? -1, report?["bytesRead"] as? Int ?? -1, files)
        }
        let first = try map("out", [])
        #expect(first.sent == 0 && first.read == 300_000)
        // Another file of the same size and time.
        let copy = scene.path("data/in/f1.bin")
        let other = try FileHandle(forUpdating: URL(filePath: copy))
        try other.write(contentsOf: Data([0]))
        try other.close()
        try setTimes(of: copy, asOf: scene.path("in/f1.bin"))
        let second = try map("again", [])
        #expect(second.sent == 100_000 && second.read == 200_000)
        #expect(second.files == first.files)
        let shared = ["{shared:f0.bin}", "--shared", scene.path("in/f0.bin")]
        #expect(try map("shared", shared).read >= 100_000)
    }
}
