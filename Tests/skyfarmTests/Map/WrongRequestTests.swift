import Foundation
import ProgramTask
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity
import Testing

/// A coordinator that holds the key and asks for what no owner gives away.
@Suite("wrong requests for programs", .timeLimit(.minutes(10))) struct WrongRequestTests {
    private static let right = {
        var task = ProgramTask(
            id: 0, program: "mark", arguments: ["a"], inputs: [.init(name: "in", size: 3)], outputs: ["out"])
        task.seconds = 60
        return task
    }()

    /// What is wrong, and how.
    private static let wrong: [(String, @Sendable (inout ProgramTask) -> Void)] = [
        ("a program of another name", { $0.program = "other" }),
        ("a path as name", { $0.program = "/bin/sh" }),
        ("a relative path as name", { $0.program = "../bin/sh" }),
        ("no name", { $0.program = "" }),
        ("a name with a zero byte", { $0.program = "mark\0" }),
        ("a name with a word", { $0.program = "mark -c" }),
        ("an argument with a zero byte", { $0.arguments = ["a\0b"] }),
        ("too many arguments", { $0.arguments = Array(repeating: "", count: 10_000) }),
        ("too long arguments", { $0.arguments = [String(repeating: "x", count: 200_000)] }),
        ("an input above the folder", { $0.inputs[0].name = "../in" }),
        ("an absolute input", { $0.inputs[0].name = "/tmp/in" }),
        ("an input in a folder", { $0.inputs[0].name = "a/in" }),
        ("an input named ..", { $0.inputs[0].name = ".." }),
        ("an input without a name", { $0.inputs[0].name = "" }),
        ("an input with a zero byte", { $0.inputs[0].name = "in\0" }),
        ("an input with a long name", { $0.inputs[0].name = String(repeating: "n", count: 300) }),
        ("an input in the place of the shared files", { $0.inputs[0].name = ProgramTask.sharedFolder }),
        ("two inputs of one name", { $0.inputs = [.init(name: "in", size: 1), .init(name: "in", size: 2)] }),
        ("a longer input", { $0.inputs[0].size = 1 << 40 }),
        ("a shorter input", { $0.inputs[0].size = 2 }),
        ("a negative size", { $0.inputs = [.init(name: "in", size: 6), .init(name: "b", size: -3)] }),
        ("sizes that overflow", { $0.inputs = [.init(name: "in", size: .max), .init(name: "b", size: .max)] }),
        ("too many inputs", { $0.inputs += (0..<5000).map { .init(name: "\($0)", size: 0) } }),
        ("an output above the folder", { $0.outputs = ["../out"] }),
        ("an absolute output", { $0.outputs = ["/etc/passwd"] }),
        ("an output with ..", { $0.outputs = ["a/../../out"] }),
        ("two outputs of one name", { $0.outputs = ["out", "out"] }),
        ("a shared file above the folder", { $0.share("../f", size: 3) }),
        ("a shared file in a folder", { $0.share("a/f", size: 3) }),
        ("a shared file of another checksum", { $0.share("f", size: 3) }),
        ("a shared file that is not there", { $0.share("f", size: 9) }),
        ("input twice", { $0.inlined = [1, 2, 3] }),
        ("more processors than slots", { $0.cpus = 99 }),
        ("no processors", { $0.cpus = 0 }),
        ("no exit code", { $0.okCodes = [] }),
        ("no time", { $0.seconds = -1 }),
        ("a time that is no number", { $0.seconds = .nan }),
    ]

    /// What is wrong of several programs in one request.
    private static let wrongSeries: [(String, [ProgramTask])] = [
        ("no program at all", []),
        ("a second program of another name", [right, changed { $0.program = "other" }]),
        ("a second program with a path", [right, changed { $0.program = "/bin/sh" }]),
        ("a second program with more memory", [right, changed { $0.memory = 1 << 50 }]),
        ("a second output above the folder", [right, changed { $0.outputs = ["../out"] }]),
        ("inputs that are longer than the bytes", [right, right]),
        ("a negative size of a second input", [right, changed { $0.inputs[0].size = -3 }]),
        ("a second program with shared files", [right, changed { $0.share("f", size: 3) }]),
        ("too many programs", Array(repeating: changed { $0.inputs = [] }, count: 1000)),
    ]

    private static func changed(_ change: (inout ProgramTask) -> Void) -> ProgramTask {
        var task = right
        change(&task)
        return task
    }

    @Test("Security.md: are refused by the node, which runs nothing, and then a right one")
    func refused() async throws {
        let scene = try Scene()
        let machine = Machine(scene, "mine")
        let mark = scene.path("marked")
        let script = try scene.script("echo \"$@\" >>\(mark); echo done >out", "mark.sh")
        let node = try Node(
            "n", ["--program", "mark=\(script)", "--scratch", scene.folder], environment: machine.environment)
        let keys = try machine.store.ring()
        var remote = RemoteNodes.Options()
        remote.taskTypes = [ProgramSeries.typeName]
        let coordinator = ScanNode(
            keys: keys, nodes: [node.address], discovering: [], options: .init(maxAttempts: 1), remote: remote)
        try coordinator.start()
        let bytes = { @Sendable (_: ForgedTask<ProgramSeries>) in BulkSource(copying: [1, 2, 3] as [UInt8]) }
        let forged = { ForgedTask(task: ProgramSeries($0)) }
        for (words, tasks) in Self.wrong.map({ ($0, [Self.changed($1)]) }) + Self.wrongSeries {
            for try await response in coordinator.coordinator.responses(to: [forged(tasks)], bulk: bytes) {
                guard case .failure(let failure) = response.result else {
                    Issue.record("\(words) was run")
                    continue
                }
                let isRefused = failure.message.contains("refused") || failure.message.contains("and this node has")
                #expect(isRefused, "\(words): \(failure.message)")
            }
        }
        #expect(Self.wrong.count >= 30)
        #expect(!FileManager.default.fileExists(atPath: mark))
        for try await response in coordinator.coordinator.responses(to: [forged([Self.right])], bulk: bytes) {
            #expect(try response.get()[0].content(at: 0) == Array("done\n".utf8)[...])
        }
        #expect(try String(contentsOfFile: mark, encoding: .utf8) == "a\n")
        await coordinator.close()
    }
}

extension ProgramTask {
    /// Makes the bulk bytes those of a shared file.
    fileprivate mutating func share(_ name: String, size: Int) {
        shared = [.init(name: name, size: size, checksum: 1)]
        inlined = [1, 2, 3]
    }
}
