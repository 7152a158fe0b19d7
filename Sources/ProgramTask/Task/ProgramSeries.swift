/// Runs of one program, one after the other in one slot: those of a short program, each of which would otherwise wait for
/// the network and for the threads of the node. A longer one is in a series of its own.
///
/// ``ProgramHost`` may end a series early, so that outputs are missing at its end: their programs were not run.
package struct ProgramSeries: Codable, Identifiable, Equatable, Sendable {
    /// At least one. They differ in arguments, inputs and outputs only.
    package var tasks: [ProgramTask]

    /// The ID of the first task.
    package var id: Int { tasks.first?.id ?? 0 }

    package init(_ tasks: [ProgramTask]) { self.tasks = tasks }

    /// Most tasks of a series.
    package static let most = 32
    /// When no further program is begun: seconds since the first one began, and bytes of the outputs.
    static let end = (seconds: 0.5, bytes: 1 << 20)

    var program: String { tasks.first?.program ?? "" }
    var shared: [ProgramTask.SharedFile] { tasks.first?.shared ?? [] }

    /// Where the input files of each task begin in the bulk bytes.
    var starts: [Int] {
        var start = 0
        return tasks.map { task in
            defer { start += task.shared.isEmpty ? task.inputBytes ?? 0 : 0 }
            return start
        }
    }

    /// Checks the tasks before one of them runs; see ``ProgramTask/problem(_:bulk:)``.
    package func problem(_ limits: ProgramTaskLimits, bulk: Int) -> String? {
        guard let first = tasks.first else { return "it has no program" }
        if tasks.count == 1 { return first.problem(limits, bulk: bulk) }
        guard tasks.count <= Self.most else { return "it has \(tasks.count) programs" }
        var rest = bulk
        for task in tasks {
            guard
                (task.program, task.cpus, task.memory) == (first.program, first.cpus, first.memory),
                task.shared == first.shared
            else { return "its programs have not all the same needs" }
            let own = task.shared.isEmpty ? task.inputBytes ?? -1 : bulk
            if let problem = task.problem(limits, bulk: own) { return problem }
            if task.shared.isEmpty { rest = rest.subtractingReportingOverflow(own).partialValue }
        }
        return first.shared.isEmpty && rest != 0 ? "its files have other sizes than its bytes" : nil
    }
}
