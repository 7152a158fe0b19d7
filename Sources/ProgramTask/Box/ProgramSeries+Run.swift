package import ScanCluster

extension ProgramSeries: ScanTask {
    package static let typeName = "program.run/2"

    package var cost: Double { Double(max(1, tasks.count)) }

    package var requiredTags: Set<String> { [ProgramTask.tag(of: program)] }

    package var slots: Int { tasks.first?.cpus ?? 1 }

    package var requiredMemory: Int { tasks.first?.memory ?? 0 }

    package func scan(_ context: ScanContext) throws -> [ProgramOutput] {
        guard let host = ProgramHost.current.withLock({ $0 }) else {
            throw ProgramRefusal("this system runs no programs")
        }
        return try host.run(self, context)
    }

    package func validate(_ outputs: [ProgramOutput]) throws {
        guard (1...max(1, tasks.count)).contains(outputs.count) else {
            throw ProgramRefusal("the result has \(outputs.count) outputs of \(tasks.count) programs")
        }
        for (task, output) in zip(tasks, outputs) { try output.check(of: task) }
    }
}
