import Foundation
import Testing

/// `skyfarm node`, as a user starts it.
@Suite("skyfarm node", .serialized) struct NodeCommandTests {
    @Test("without a port, the first node has the usual one, and others of the machine say which one they have")
    func port() throws {
        // Another program of this machine may have the usual port.
        let nodes = try (1...3).map { try Program(["node", "--name", "n\($0)", "--slots", "1"]) }
        var ports: [Int] = []
        for node in nodes {
            let words = try node.firstLine().split(separator: " ")
            let port = try #require(words.count == 5 ? words[2].split(separator: ":").last.flatMap { Int($0) } : nil)
            ports.append(port)
            if port == 4870 {
                #expect(!node.errors.contains("is taken"), "\(node.errors)")
            } else {
                try node.waitForErrors("port 4870 is taken: this node listens on port \(port)")
            }
        }
        #expect(Set(ports).count == 3)
    }

    @Test("a port that is asked for is not replaced by another")
    func fixedPort() throws {
        let node = try Node("first")
        let other = try Program.run(["node", "--listen", node.address])
        #expect(other.code == 1 && other.output.isEmpty, "\(other.errors)")
    }

    #if os(Linux)
        /// The nice values of a process's threads, the main thread's first.
        private func niceness(of process: pid_t) throws -> [Int] {
            let folder = "/proc/\(process)/task"
            let threads = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap(Int.init).sorted()
            return try threads.map { thread in
                let text = try String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)
                // The name, in parentheses, may have spaces; nice is field 19, and the state after the name field 3.
                let fields = try #require(text.split(separator: ")").last).split(separator: " ")
                return try #require(Int(fields[16]))
            }
        }

        @Test("--nice lowers the priority of the scanning threads alone", arguments: [0, 7])
        func nice(by step: Int) throws {
            let own = Int(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
            let node = try Node("near", slots: 3, ["--nice", "\(step)"])
            // A thread sets its priority itself, when it begins. Dispatch raises that of some of its own.
            let slow = step == 0 ? 0 : 3
            let end = ContinuousClock.now + .seconds(60)
            var values = try niceness(of: node.program.process)
            while values.count(where: { $0 > own }) < slow, .now < end {
                sched_yield()
                values = try niceness(of: node.program.process)
            }
            #expect(values.filter { $0 > own } == [Int](repeating: min(19, own + step), count: slow), "\(values)")
            #expect(values.first == own, "\(values)")
        }
    #endif
}
