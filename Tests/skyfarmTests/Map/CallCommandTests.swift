import Foundation
import ScanSecurity
import Testing

/// `skyfarm call` with nodes and slots of this machine.
@Suite("functions on nodes", .timeLimit(.minutes(10))) struct CallCommandTests {
    let scene: Scene
    let mine: Machine

    init() throws {
        scene = try Scene()
        mine = Machine(scene, "mine")
        let source = """
            import os
            def square(x):
                print("squaring", x)
                if x == 3: raise ValueError("three")
                with open(\(scene.path("calls").debugDescription), "a") as file: file.write(f"{x}\\n")
                return x * x
            def zeros(x):
                import numpy
                return {"a": numpy.zeros(x)}
            def forge(x):
                import os, struct, sys
                number = sys._getframe(1).f_locals["head"]["call"]
                text = b'1}\\n{"value":2' if x == 1 else b'"\\x1b]0;x\\x07"'
                form = b"SKYVAL1\\n" + struct.pack("<QQ", len(text), 2) + text + b"[]"
                form += bytes(-len(form) % 64)
                os.write(3, b'{"ok":true,"call":%d,"size":%d}\\0' % (number, len(form)) + form)
                os._exit(0)
            """
        _ = try scene.write(Array(source.utf8), "m.py")
    }

    private var module: String { "m=\(scene.path("m.py")),/usr/bin/python3" }

    private func call(_ function: String, _ values: [String], _ words: [String]) throws -> Program.Result {
        let file = try scene.write(Array((values.joined(separator: "\n") + "\n").utf8), "values.ndjson")
        return try mine.run(["call", function, file, "--no-discovery", "--wait", "10"] + words)
    }

    @Test("give results in the order of the values, name failed ones, and nodes list their modules")
    func order() throws {
        let nodes = try ["a", "b"].map { name in
            try Node(name, slots: 2, ["--python", module, "--scratch", scene.folder], environment: mine.environment)
        }
        let words = nodes.flatMap { ["--node", $0.address] }
        let result = try call("m.square", (1...40).map(String.init), words)
        #expect(result.code == 23, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 40)
        for (index, line) in lines.enumerated() where index != 2 {
            #expect(line == "{\"value\":\((index + 1) * (index + 1))}")
        }
        #expect(lines[2].contains("ValueError: three"))
        #expect(result.errors.contains("item 3 failed: ValueError: three"))
        #expect(result.errors.contains("39 of 40 items done, 1 failed"))
        let listing = try mine.run(["nodes", "--no-discovery"] + words)
        #expect(listing.output.contains("MODULES") && listing.output.contains(" m\n"), "\(listing.output)")
    }

    @Test("are not called again for values whose results the journal has")
    func journal() throws {
        let words = ["--local-python", module, "--local-slots", "2", "--journal", scene.path("journal")]
        let first = try call("m.square", ["1", "2", "3", "4"], words)
        #expect(first.code == 23, "\(first.errors)")
        let second = try call("m.square", ["4", "5", "2", "1"], words)
        #expect(second.code == 0, "\(second.errors)")
        #expect(second.output == "{\"value\":16}\n{\"value\":25}\n{\"value\":4}\n{\"value\":1}\n")
        #expect(second.errors.contains("3 of them before"))
        let calls = try String(contentsOfFile: scene.path("calls"), encoding: .utf8).split(separator: "\n").sorted()
        #expect(calls == ["1", "2", "4", "5"])
        try (try String(contentsOfFile: scene.path("m.py"), encoding: .utf8) + "\n# other\n")
            .write(toFile: scene.path("m.py"), atomically: true, encoding: .utf8)
        let third = try call("m.square", ["1", "6"], words)
        #expect(third.errors.contains("different versions of the module"), "\(third.errors)")
    }

    @Test("have failed if their results have arrays, or are no lines of JSON")
    func unwritable() throws {
        let words = ["--local-python", module, "--local-slots", "1"]
        let arrays = try call("m.zeros", ["2"], words)
        #expect(arrays.code == 23 && arrays.errors.contains("item 1 failed: the result has arrays"), "\(arrays.errors)")
        #expect(arrays.output.hasPrefix("{\"error\":\"the result has arrays: call the function by skyfarm.map"))
        let journal = ["--journal", scene.path("journal")]
        for value in ["1", "2", "1", "2"] {
            let forged = try call("m.forge", [value], words + journal)
            #expect(forged.code == 23 && forged.errors.contains("0 of 1 item done, 1 failed"), "\(forged.errors)")
            #expect(forged.output == "{\"error\":\"the result is malformed\",\"trace\":[]}\n")
        }
    }

    @Test(
        "are refused with the remedy",
        arguments: [
            (["call"], 2, "MODULE.NAME is missing"), (["call", "m"], 2, "not the name of a function"),
            (["call", "m._f"], 2, "cannot be called"), (["call", "m.__f__"], 2, "cannot be called"),
            (["call", "m.f", "a", "b"], 2, "unexpected argument"), (["call", "m.f", "/nowhere"], 5, "/nowhere"),
            (["call", "m.f", "--local-python", "m=relative"], 2, "--local-python"),
            (["call", "m.f", "--local-python", "m=/nowhere"], 5, "/nowhere is neither"),
        ])
    func refused(words: [String], code: Int32, text: String) throws {
        let result = try mine.run(words + ["--no-discovery"])
        #expect(result.code == code, "\(result.errors)")
        #expect(result.errors.contains(text), "\(result.errors)")
    }

    @Test("need values that are JSON, and a node that has the module")
    func unusable() throws {
        let words = ["--local-python", module, "--local-slots", "1"]
        let malformed = try call("m.square", ["1", "{"], words)
        #expect(malformed.code == 5, "\(malformed.errors)")
        #expect(malformed.errors.contains("line 2 is not a value in JSON"), "\(malformed.errors)")
        let absent = try mine.run(["call", "other.f", scene.path("values.ndjson"), "--no-discovery", "--wait", "1"])
        #expect(absent.code == 3 && absent.errors.contains("--python other=PATH"), "\(absent.errors)")
    }
}
