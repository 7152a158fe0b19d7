import Foundation
import Testing

/// What the library makes of a misuse: the beginning of the line that `misuse-probe` prints.
private struct Misuse: Sendable, CustomTestStringConvertible {
    var name: String
    var outcome: String

    init(_ name: String, _ outcome: String) { (self.name, self.outcome) = (name, outcome) }

    var testDescription: String { name }
}

@Suite("Misuses of the library end with one line, and no trap", .timeLimit(.minutes(10)))
struct MisuseTests {
    private static let table: [Misuse] = [
        // Nodes.
        .init("node without slots", "error: 0 slots: a process has 1 to 4096"),
        .init("node with negative slots", "error: -4 slots: a process has 1 to 4096"),
        .init("node with too many slots", "error: 9223372036854775807 slots: a process has 1 to 4096"),
        .init("node started twice", "error: the node was started before"),
        .init("node started after its end", "error: the node was closed: make another one"),
        .init("node run twice", "error: the node was started before"),
        .init("node closed before its start", "done: closed"),
        .init("node paused and resumed before its start", "done: started at 127.0.0.1"),
        .init("node drained by signals that do not exist", "error: -1 is no signal that a process can handle"),
        .init("node with tags that are no words", "done: started at 127.0.0.1"),
        .init("server started twice", "error: the server was started before: make another one"),
        .init("server of a system elsewhere", "error: a node offers the system of its own process, whose clock"),
        .init("empty address", "error: '' has no :PORT; write HOST:PORT"),
        .init("port beyond 65535", "error: 'host:99999' has a port that is not a number from 0 to 65535"),
        .init("IPv6 address without brackets", "error: '::1' needs brackets around its IPv6 address"),
        .init("address with half of its brackets", "error: '[::1:4870' needs brackets around its IPv6 address"),
        .init("address with a scheme", "error: 'http://localhost:4870' is a URL, not an address; write HOST:PORT"),
        .init("address of another machine", "error: cannot listen on 192.0.2.1:0: "),
        .init("farm with an empty address", "error: '' has no :PORT; write HOST:PORT"),
        .init("farm with a port beyond 65535", "error: '127.0.0.1:99999' has a port that is not a number"),
        .init("farm with an address without brackets", "error: '::1' needs brackets around its IPv6 address"),
        .init("farm with an unknown host", "error: 'no host:1' has a host name with invalid characters"),
        .init("farm with port 0", "error: 127.0.0.1:0: cannot be reached: "),
        // Types of task.
        .init("one type registered twice", "done: started"),
        .init("two types of one name", "error: Namesake and another type of task have the same name"),
        .init("type without a name", "error: the name of Unnamed must be one line of 1 to 200 bytes"),
        .init("type with a name of 400 bytes", "error: the name of LongName must be one line of 1 to 200 bytes"),
        .init("type with a name of two lines", "error: the name of TwoLines must be one line of 1 to 200 bytes"),
        .init("node of no types", "done: started"),
        .init(
            "farm of one type twice", "error: for 0.05 s there was no system to run the tasks; the last cause: alpha"),
        .init("farm of two types of one name", "error: Namesake and another type of task have the same name"),
        .init("farm of a type without a name", "error: the name of Unnamed must be one line of 1 to 200 bytes"),
        .init("farm of a type with a name of 400 bytes", "error: the name of LongName must be one line"),
        .init("farm of a type that no node has", "error: 127.0.0.1:"),
        .init("task that no node has", "error: for 0.05 s there was no system to run the tasks; the last cause: alpha"),
        .init("task that cannot be coded", "done: 1 failed: the task cannot be sent: cannot be coded (on alpha"),
        .init("task that cannot be decoded", "done: 1 failed: the task cannot be decoded: cannot be decoded"),
        .init("task nested too deeply", "done: 1 failed: the task cannot be sent: containers nested more than 64"),
        .init("output nested too deeply", "done: 1 failed: containers nested more than 64 deep (on alpha"),
        // Tasks.
        .init("no tasks", "done:"),
        .init("no tasks in chunks", "done:"),
        .init("the same task twice", "done: 1: 2, 1: 2"),
        .init("costs that are no numbers", "done: 0: 0, 1: 2, 2: 4, 3: 6, 4: 8, 5: 10, 6: 12"),
        .init("costs that are no numbers in chunks", "done: 0: 0, 1: 2, 2: 4, 3: 6, 4: 8, 5: 10"),
        .init("chunks of no tasks", "done: 1: 2, 2: 4"),
        .init("chunks of a negative number of tasks", "done: 1: 2, 2: 4"),
        .init("chunks of too many tasks", "done: 1: 2, 2: 4, 3: 6"),
        .init("tag that no system has", "error: for 0.05 s there was no system to run the tasks that has the tags"),
        .init("tags that are no words", "error: for 0.05 s there was no system to run the tasks that has the tags"),
        .init("error that cannot be coded", "done: 1 failed: odd (on alpha, attempt 3)"),
        .init("error of many lines", "done: 1 failed: no no no "),
        .init("error of many lines here", "done: 1 failed: no no no "),
        .init("error without words", "done: 1 failed: OddError (on alpha, attempt 3)"),
        .init("output larger than a frame", "done: 1 failed: the result has 2097163 bytes; the coordinator takes"),
        .init("task larger than a frame", "done: 1 failed: the task cannot be sent: it has 2097"),
        .init("bulk bytes of a negative count", "done: 1: []"),
        .init("fewer bulk bytes than announced", "done: 1: [5]"),
        .init("bulk bytes of an impossible number", "done: 1: [100]"),
        .init("bulk bytes that cannot be read", "error: odd"),
        .init("bulk bytes that are missing", "done: 1 failed: no bulk bytes were sent beside the task"),
        .init("bulk bytes taken twice", "done: 1 failed: no bulk bytes were sent beside the task"),
        .init("output that is always refused", "done: 1 failed: sent a result that is not valid: odd"),
        // Runs.
        .init("farm without systems", "error: no system can run a task: start a node, give its address, or use"),
        .init("farm with negative slots", "error: -1 slots: a process has 0 to 4096"),
        .init("farm with too many slots", "error: 9223372036854775807 slots: a process has 0 to 4096"),
        .init("farm used after its end", "error: the farm is closed"),
        .init("chunks on a farm after its end", "error: the farm is closed"),
        .init("farm closed while it runs", "error: the farm is closed"),
        .init("farm closed twice", "done: closed"),
        .init("run cancelled before its start", "error: the run was cancelled"),
        .init("farm cancelled before its start", "error: "),
        .init("two loops over one run", "done: two loops wait for the responses of one run: give each a run of"),
        .init("loop that goes on after the end", "done: 1 response"),
        .init("task that waits for a farm of its own", "done: 1 failed: no answer within 0.2 s"),
        .init("observer that asks the farm", "done: 1: 2"),
        .init("system run after its end", "error: here: was stopped before the scan began"),
        .init("system joined twice", "done: true false"),
        .init("system that never joined leaves", "done: 0 systems"),
        // Settings.
        .init("no time", "done: 1"),
        .init("negative time", "done: 1 failed: no answer within -5 s"),
        .init("too much time", "done: 1: 2"),
        .init("adaptive time that is no number", "done: 1: 2, 2: 4, 3: 6, 4: 8, 5: 10"),
        .init("options without attempts or room", "done: 1: 2, 2: 4"),
        .init("options without attempts, and a task that throws", "done: 1 failed: odd"),
        .init("options without attempts, in chunks", "done: 1: 2"),
        .init("options with too much of all", "done: 1: 2"),
        .init("wait without end for a farm", "done: ready"),
        .init("negative wait for a farm", "error: no system can run a task: start a node"),
        .init("weight that is no number", "done: 1: 2"),
        .init("depth of no tasks", "done: 1: 2"),
        .init("frames without bytes", "error: 127.0.0.1:"),
        .init("node of frames without bytes", "error: 127.0.0.1:"),
        .init("node without connections", "error: 127.0.0.1:"),
        .init("node with negative limits", "done: 1: 2"),
        .init("node with too large limits", "done: 1: 2"),
        .init("connections without time", "error: "),
        .init("instants at the ends of time", "done: true"),
        .init("work that is no number", "done: 1: 2"),
        .init("keys in a folder that does not exist", "error: there is no cluster key at /no/such/folder/key"),
        .init("keys without a path", "error: cannot write"),
        .init("key of other words", "error: this is not a cluster key: a key begins with 'skyfarm-key-1-'"),
    ]

    /// - Returns: the lines that the probe prints.
    private func probe(_ arguments: [String]) throws -> [Substring] {
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent("misuse-probe")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let output = Pipe()
        (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    @Test("one misuse", arguments: table)
    fileprivate func misuse(_ misuse: Misuse) throws {
        let lines = try probe([misuse.name])
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix(misuse.outcome) == true, "\(lines.first ?? "nothing")")
        // An error of a task's code is limited, too.
        #expect((lines.first?.count ?? 0) < 1200)
    }

    @Test("the table has all misuses of the probe")
    func all() throws {
        #expect(try probe([]).map(String.init) == Self.table.map(\.name).sorted())
    }
}
