import Foundation
import ProgramTask
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity
import Testing

/// A coordinator that holds the key and asks for functions that no owner gives away, or sends values that are none.
@Suite("wrong requests for functions", .timeLimit(.minutes(10))) struct WrongCallTests {
    private static func task(_ value: [UInt8]) -> PythonTask {
        PythonTask(
            id: 0, function: "mark.touch", size: value.count,
            checksum: value.withUnsafeBytes(PythonOutput.checksum))
    }

    /// The faults of the requests, and how each is made.
    private static let wrong: [(String, @Sendable (inout PythonTask) -> Void)] = [
        ("a module of another name", { $0.function = "other.touch" }),
        ("no function", { $0.function = "mark" }),
        ("no name", { $0.function = "" }),
        ("an empty part", { $0.function = "mark..touch" }),
        ("a dunder name", { $0.function = "mark.__import__" }),
        ("a name that is hidden", { $0.function = "mark._touch" }),
        ("a way through a dunder name", { $0.function = "mark.touch.__globals__.clear" }),
        ("a name with a zero byte", { $0.function = "mark.touch\0" }),
        ("a name with a quote", { $0.function = "mark.touch\",\"function\":\"mark.other" }),
        ("a path", { $0.function = "../mark.touch" }),
        ("an absolute path", { $0.function = "/opt/mark.touch" }),
        ("an expression", { $0.function = "mark.touch(1)" }),
        ("a name that is no ASCII", { $0.function = "mark.t\u{f6}uch" }),
        ("a long name", { $0.function = "mark." + String(repeating: "x", count: 5000) }),
        ("a deep name", { $0.function = "mark" + String(repeating: ".a", count: 50) }),
        ("a shorter value", { $0.size -= 1 }),
        ("a longer value", { $0.size = 1 << 40 }),
        ("no value", { $0.size = 0 }),
        ("a negative size", { $0.size = -64 }),
        ("another checksum", { $0.checksum += 1 }),
        ("more processors than slots", { $0.cpus = 99 }),
        ("no processors", { $0.cpus = 0 }),
        ("negative memory", { $0.memory = -1 }),
        ("no time", { $0.seconds = 0 }),
        ("a time that is no number", { $0.seconds = .nan }),
    ]

    /// A value with these texts and bytes.
    private static func form(_ json: String, _ arrays: String, _ bytes: Int = 0) -> [UInt8] {
        var form = Array("SKYVAL1\n".utf8)
        for text in [json, arrays] { withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { form += $0 } }
        form += Array(json.utf8) + Array(arrays.utf8)
        form += [UInt8](repeating: 0, count: (64 - form.count % 64) % 64)
        return form + [UInt8](repeating: 1, count: bytes)
    }

    private static func array(_ type: String, _ shape: String, at path: String = "[]") -> String {
        "[{\"at\":\(path),\"type\":\"\(type)\",\"shape\":\(shape)}]"
    }

    private static let malformed: [(String, [UInt8])] = [
        ("one byte", [0]),
        ("a pickle", Array("cos\nsystem\n(S'touch /tmp/x'\ntR.".utf8)),
        ("a text that is no JSON", form("{", "[]")),
        ("a text that is too deep", form(String(repeating: "[", count: 100_000), "[]")),
        ("arrays that are no list", form("null", "{}")),
        ("an array of objects", form("null", array("|O8", "[1]"), 64)),
        ("an array of records", form("null", array("|V8", "[1]"), 64)),
        ("an array of a type by name", form("null", array("os.system", "[1]"), 64)),
        ("an array that is too long", form("null", array("<f8", "[9]"), 64)),
        ("an array of a size that overflows", form("null", array("<f8", "[4294967296,4294967296,16]"), 64)),
        ("an array of more than memory, of no number", form("null", array("<f8", "[1152921504606846976,0]"), 64)),
        ("an array of a length of 64 bits", form("null", array("|u1", "[9223372036854775808,0]"))),
        ("an array of lengths that overflow", form("null", array("|u1", "[0,70368744177664,70368744177664]"))),
        ("an array of a negative size", form("null", array("<f8", "[-8]"), 64)),
        ("an array whose place is taken", form("1", array("<f8", "[8]"), 64)),
        ("an array out of its list", form("[null]", array("<f8", "[8]", at: "[-1]"), 64)),
        ("an array at a hidden name", form("{}", array("<f8", "[8]", at: "[\"__class__\"]"), 64)),
        ("bytes of no array", form("null", "[]", 64)),
    ]

    @Test("Security.md: are refused, and nothing is called, and then a right one is")
    func refused() async throws {
        let scene = try Scene()
        let machine = Machine(scene, "mine")
        let mark = scene.path("marked")
        let source = "def touch(x):\n    open(\(mark.debugDescription), 'a').write('x')\n    return x\n_touch = touch\n"
        let path = try scene.write(Array(source.utf8), "mark.py")
        let node = try Node(
            "n", ["--python", "mark=\(path),/usr/bin/python3", "--scratch", scene.folder],
            environment: machine.environment)
        var remote = RemoteNodes.Options()
        remote.taskTypes = [PythonTask.typeName]
        let coordinator = ScanNode(
            keys: try machine.store.ring(), nodes: [node.address], discovering: [], options: .init(maxAttempts: 1),
            remote: remote)
        try coordinator.start()
        let right = PythonValue.form(json: Array("[7]".utf8))
        func answer(_ task: PythonTask, _ value: [UInt8]) async throws -> Result<PythonOutput, TaskFailure>? {
            let bulk = { @Sendable (_: ForgedTask<PythonTask>) in BulkSource(copying: value) }
            var result: Result<PythonOutput, TaskFailure>?
            for try await response in coordinator.coordinator.responses(to: [ForgedTask(task: task)], bulk: bulk) {
                result = response.result
            }
            return result
        }
        for (words, change) in Self.wrong {
            var task = Self.task(right)
            change(&task)
            guard case .failure(let failure)? = try await answer(task, right) else {
                Issue.record("\(words) was run")
                continue
            }
            let isRefused = failure.message.contains("refused") || failure.message.contains("and this node has")
            #expect(isRefused, "\(words): \(failure.message)")
        }
        for (words, value) in Self.malformed {
            guard case .success(let output)? = try await answer(Self.task(value), value) else {
                Issue.record("\(words) has no answer")
                continue
            }
            #expect(output.failure?.contains("malformed value") == true, "\(words): \(output.failure ?? "was taken")")
        }
        #expect(Self.wrong.count + Self.malformed.count >= 40)
        #expect(!FileManager.default.fileExists(atPath: mark))
        guard case .success(let output)? = try await answer(Self.task(right), right) else {
            Issue.record("a right request was not run")
            return
        }
        #expect(output.failure == nil && output.value.starts(with: right.prefix(24)))
        #expect(FileManager.default.fileExists(atPath: mark))
        await coordinator.close()
    }
}
