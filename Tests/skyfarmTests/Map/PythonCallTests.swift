import Foundation
import ProgramTask
import ScanCluster
import Testing

/// Functions of a Python module, called by real workers.
@Suite("Python functions", .timeLimit(.minutes(10))) struct PythonCallTests {
    let box: ProgramBox

    init() throws { box = try ProgramBox() }

    private static let source = """
        import os, signal, subprocess, sys, time
        from os import system, getcwd
        calls = 0
        def echo(x): return x
        def count(x):
            global calls
            calls += 1
            return [os.getpid(), calls]
        def leave(x):
            with open("file", "x") as file: file.write("x")
            print("to the log")
            return os.listdir(".")
        def fail(x): raise ValueError("no good\\nat all")
        def leap(x): sys.exit(3)
        def vanish(x): os._exit(7)
        def crash(x): os.kill(os.getpid(), signal.SIGSEGV)
        def hang(x): time.sleep(1000)
        def stubborn(x):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True: pass
        def spawn(x):
            subprocess.Popen(["sleep", "1000"], start_new_session=True)
            os._exit(1)
        def spread(x):
            for _ in range(60): subprocess.Popen(["sleep", "1000"])
            time.sleep(1000)
        def grow(x):
            block = []
            while True: block.append(bytearray(1 << 20))
        def fill(x):
            with open(os.environ["HOME"] + "/big", "wb") as file:
                while True: file.write(bytes(1 << 20))
        def flood(x):
            while True: print("x" * 100000)
        def strange(x): return object()
        def endless(x):
            x = []
            x.append(x)
            return x
        def meddle(x):
            os.write(3, b"nonsense")
            time.sleep(1000)
        def long(x): raise ValueError("\\n".join(chr(0x1f600) * 2000 for _ in range(40)))
        def shout(x):
            os.write(3, bytes(170000))
            time.sleep(1000)
        def forge(x):
            os.write(3, b'{"ok":true}\\0')
            time.sleep(1000)
        def split(x):
            os.fork()
            return x
        class Thing:
            def __init__(self, x): pass
        def _secret(x): return 1
        """

    private func host(
        _ source: String = Self.source, slots: Int = 2, _ change: (inout ProgramLimits) -> Void = { _ in }
    ) throws -> PythonHost {
        let path = try box.scene.write(Array(source.utf8), "m.py")
        var options = PythonHost.Options(modules: [try #require(PythonModule("m=\(path),/usr/bin/python3"))])
        change(&options.limits)
        (options.scratch, options.slots) = (box.watch.path, slots)
        options.supervisor = [Program.path, ProgramHost.word]
        return try PythonHost(options, environment: ProcessInfo.processInfo.environment)
    }

    private func call(
        _ host: PythonHost, _ function: String, _ json: String = "1", seconds: Double? = 30,
        _ cancellation: ScanCancellation = ScanCancellation()
    ) throws -> PythonOutput {
        let form = PythonValue.form(json: Array(json.utf8))
        let value = BulkBytes(byteCount: form.count) { $0.copyBytes(from: form) }
        var task = PythonTask(
            id: 0, function: function, size: form.count, checksum: value.withUnsafeBytes(PythonOutput.checksum))
        task.seconds = seconds
        return try host.run(task, ScanContext(bulk: value, cancellation: cancellation))
    }

    /// The result of a call, in JSON.
    private func json(_ output: PythonOutput) throws -> String {
        let (text, hasArrays) = try #require(PythonValue.json(of: output.value), "\(output.failure ?? "")")
        #expect(!hasArrays)
        return String(decoding: text, as: UTF8.self)
    }

    @Test("return the value that they get, of any length", arguments: [0, 1000, 3_000_000])
    func values(length: Int) throws {
        let host = try host()
        defer { host.close() }
        let text = "{\"a\": [1, 2.5, null, true], \"b\": \"\(String(repeating: "x", count: length))\"}"
        #expect(try json(call(host, "m.echo", text)) == text)
    }

    @Test("are called by a worker that stays, in a folder that is empty each time")
    func alive() throws {
        let host = try host()
        defer { host.close() }
        let first = try json(call(host, "m.count")), second = try json(call(host, "m.count"))
        #expect(first.hasSuffix(" 1]") && second.hasSuffix(" 2]"))
        #expect(first.dropLast(2) == second.dropLast(2))
        for _ in 0..<2 {
            let output = try call(host, "m.leave")
            #expect(try json(output) == "[\"file\"]")
            #expect(output.log == ["to the log"])
        }
    }

    /// Calls that fail alone, and why.
    private static let lonely = [
        ("fail", "ValueError: no good"), ("leap", "SystemExit: 3"), ("vanish", "exit code 7"), ("crash", "signal 11"),
        ("hang", "took longer than 2"), ("stubborn", "took longer than 2"), ("spawn", "exit code 1"),
        ("spread", "more than 40 processes"), ("grow", "Memory"), ("fill", "No space|File too large|wrote more than"),
        ("flood", "wrote more than|File too large|signal"), ("strange", "TypeError: a builtins.object"),
        ("endless", "TypeError"), ("meddle", "cannot be read|took longer"),
    ]

    @Test("that fail do so alone, with the reason, and leave no process behind", arguments: lonely)
    func failing(function: String, reason: String) throws {
        let host = try host { limits in
            (limits.memory, limits.disk, limits.processes) = (1 << 30, 40 << 20, 40)
        }
        defer { host.close() }
        do {
            let hangs = ["hang", "stubborn", "meddle"].contains(function)
            let output = try call(host, "m.\(function)", seconds: hangs ? 2 : 60)
            let failure = try #require(output.failure)
            #expect(
                reason.split(separator: "|").contains { failure.contains($0) }, "\(failure) in place of \(reason)")
            #expect(output.value.isEmpty)
            if function == "fail" {
                #expect(output.trace.last == "at all")
                #expect(output.trace.contains { $0.contains("m.py") })
                #expect(!output.trace.contains { $0.contains("<string>") })
            }
        } catch let refusal as ProgramRefusal where function == "meddle" {
            #expect(refusal.description.contains("written to by the module"))
        }
        #expect(try json(call(host, "m.echo", "[5]")) == "[5]")
        host.close()
        let survivors = Date.now
        while !box.survivors.isEmpty, -survivors.timeIntervalSinceNow < 20 { usleep(10_000) }
        #expect(box.survivors.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: box.watch.path).isEmpty)
    }

    /// A module whose worker ends by itself between two calls, or leaves a process that holds its channel.
    private static let mortal = """
        import ctypes, os, signal, sys, threading, time
        def pid(x): return os.getpid()
        def helped(x):
            if os.fork() == 0:
                signal.pause()
            return os.getpid()
        def hang(x):
            open(x, "w").close()
            time.sleep(1000)
        def doomed(x):
            def end():
                libc = ctypes.PyDLL(None)
                while not os.path.exists(x): time.sleep(0.005)
                # No other thread runs from now on: one that has received a call does not begin it.
                sys.setswitchinterval(1000)
                libc.creat((x + ".ends").encode(), 0o600)
                libc.usleep(500_000)
                os._exit(7)
            threading.Thread(target=end, daemon=True).start()
            return os.getpid()
        """

    @Test("do not fail since their worker was killed before", arguments: ["pid", "helped"])
    func killedBetweenCalls(function: String) throws {
        let host = try host(Self.mortal)
        defer { host.close() }
        for _ in 0..<10 {
            let worker = try #require(pid_t(try json(call(host, "m.\(function)"))))
            #expect(kill(worker, SIGKILL) == 0)
            let next = try call(host, "m.pid")
            #expect(next.failure == nil)
            #expect(try json(next) != "\(worker)")
        }
    }

    @Test("do not fail since their worker ends by itself before they begin")
    func endedBetweenCalls() throws {
        let host = try host(Self.mortal)
        defer { host.close() }
        let signal = box.scene.path("end")
        let worker = try json(call(host, "m.doomed", "\"\(signal)\""))
        _ = try box.scene.write([], "end")
        while access(signal + ".ends", F_OK) != 0 { usleep(1000) }
        let next = try call(host, "m.pid")
        #expect(next.failure == nil)
        #expect(try json(next) != worker)
    }

    @Test("fail if their worker is killed while it calls")
    func killedDuringCall() throws {
        let host = try host(Self.mortal)
        defer { host.close() }
        let worker = try #require(pid_t(try json(call(host, "m.pid"))))
        let begun = box.scene.path("begun")
        Thread.detachNewThread {
            while access(begun, F_OK) != 0 { usleep(1000) }
            kill(worker, SIGKILL)
        }
        let output = try call(host, "m.hang", "\"\(begun)\"", seconds: 60)
        #expect(output.failure == "ended the worker by signal 9")
    }

    @Test("that are cancelled end, with their worker")
    func cancelled() throws {
        let host = try host()
        defer { host.close() }
        #expect(try json(call(host, "m.echo")) == "1")
        let cancellation = ScanCancellation()
        Thread.detachNewThread { cancellation.cancel() }
        #expect(throws: CancellationError.self) { try call(host, "m.hang", "1", seconds: 60, cancellation) }
        #expect(try json(call(host, "m.count")).hasSuffix(" 1]"))
    }

    @Test("are those of the present source, also if it has changed since the last call")
    func changed() throws {
        let host = try host("def f(x): return 1\n")
        defer { host.close() }
        let first = try call(host, "m.f")
        _ = try box.scene.write(Array("def f(x): return 22\n".utf8), "m.py")
        let second = try call(host, "m.f")
        #expect(try json(first) == "1")
        #expect(try json(second) == "22")
        #expect(first.version != second.version)
    }

    /// Modules of which the first call changes the source that it runs, and results of two calls.
    private static let changing = [
        ("def f(x):\n    open(__file__, 'w').write('def f(x): return 22')\n    return 1", "1", "22"),
        (
            """
            def f(x):
                import other
                if other.n == 1: open(other.__file__, 'w').write('n = 22')
                return other.n
            """, "1", "22"
        ),
    ]

    @Test("are those of the present source, also if it has changed during the last call", arguments: changing)
    func changedWhileCalled(source: String, first: String, second: String) throws {
        _ = try box.scene.write(Array("n = 1".utf8), "other.py")
        let host = try host(source)
        defer { host.close() }
        #expect(try json(call(host, "m.f")) == first)
        #expect(try json(call(host, "m.f")) == second)
    }

    @Test("of a source that changes with each import fail with that reason")
    func alwaysChanging() throws {
        let host = try host("open(__file__, 'a').write('#')\ndef f(x): return 1\n")
        defer { host.close() }
        #expect(try call(host, "m.f").failure?.contains("each time that it is imported") == true)
    }

    @Test("have tracebacks of any length, of which the last lines are kept")
    func longTrace() throws {
        let host = try host()
        defer { host.close() }
        let output = try call(host, "m.long")
        let failure = output.failure ?? ""
        #expect(failure.hasPrefix("ValueError: ") && output.trace.count == 20, "\(failure)")
        #expect(output.trace.allSatisfy { (900...1000).contains($0.utf8.count) })
        #expect(try json(call(host, "m.count")).hasSuffix(" 1]"))
    }

    @Test("get no answer that is not that of their call", arguments: ["shout", "forge"])
    func forged(function: String) throws {
        let host = try host()
        defer { host.close() }
        let refusal = #expect(throws: ProgramRefusal.self) { try call(host, "m.\(function)", seconds: 60) }
        #expect(refusal?.description.contains("written to by the module") == true)
        #expect(try json(call(host, "m.echo", "[5]")) == "[5]")
    }

    @Test("that fork, and return in both processes, have one result each")
    func forked() throws {
        let host = try host()
        defer { host.close() }
        for number in 1...20 { #expect(try json(call(host, "m.split", "\(number)")) == "\(number)") }
    }

    @Test(
        "are those of the module alone: neither what it has imported nor what is hidden",
        arguments: [
            "m.system", "m.getcwd", "m.os.system", "m.subprocess.run", "m.sys.exit", "m.Thing", "m.calls", "m.none",
            "m.echo.real", "m.os",
        ])
    func others(function: String) throws {
        let host = try host()
        defer { host.close() }
        let failure = try #require(try call(host, function).failure)
        #expect(failure.hasPrefix("LookupError"), "\(failure)")
    }

    @Test("are those that __all__ names, if there is one")
    func exported() throws {
        let host = try host("from math import sqrt\n__all__ = ['sqrt']\ndef f(x): return x\n")
        defer { host.close() }
        #expect(try json(call(host, "m.sqrt", "4")) == "2.0")
        #expect(try call(host, "m.f").failure?.hasPrefix("LookupError") == true)
    }

    @Test(
        "of a module that cannot be imported fail with the reason",
        arguments: [
            ("import nothing_of_this_name", "ModuleNotFoundError"), ("1 +", "SyntaxError"),
            ("raise ValueError(3)", "3"),
            ("import os; os._exit(9)", "exit code 9"),
        ])
    func unimportable(source: String, reason: String) throws {
        let host = try host(source)
        defer { host.close() }
        let output = try call(host, "m.f")
        #expect(output.failure?.hasPrefix("m cannot be imported: ") == true)
        #expect(output.failure?.contains(reason) == true, "\(output.failure ?? "")")
    }

    @Test(
        "need a module that is there",
        arguments: ["m=/nowhere", "m=/tmp", "m=/etc/passwd", "m=FOLDER/m.py,/nowhere/python", "other=FOLDER/m.py"])
    func absent(text: String) throws {
        _ = try host().close()
        let words = text.replacingOccurrences(of: "FOLDER", with: box.scene.folder)
        let module = try #require(PythonModule(words))
        #expect(throws: ProgramRefusal.self) {
            try PythonHost(PythonHost.Options(modules: [module]), environment: [:])
        }
    }

    @Test(
        "have modules whose names are identifiers and whose paths are absolute",
        arguments: ["m", "m=", "=/a", "m=a", "m.n=/a", "_m=/a", "1m=/a", "m m=/a", "m=/a\0b", "é=/a"])
    func malformed(text: String) { #expect(PythonModule(text) == nil) }

    @Test("have an interpreter after a comma, and paths may have commas")
    func interpreters() throws {
        let module = try #require(PythonModule("m=/a,b/c,/opt/venv/bin/python"))
        #expect(module.path == "/a,b/c" && module.interpreter == "/opt/venv/bin/python")
        #expect(try #require(PythonModule("m=/a,b")).interpreter == nil)
    }
}
