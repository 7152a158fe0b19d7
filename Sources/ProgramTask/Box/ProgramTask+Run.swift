package import ScanCluster

extension ProgramTask: ScanTask {
    package static let typeName = "program.run/1"

    package var requiredTags: Set<String> { [Self.tag(of: program)] }

    package var slots: Int { cpus }

    package var requiredMemory: Int { memory }

    package func scan(_ context: ScanContext) throws -> ProgramOutput {
        guard let host = ProgramHost.current.withLock({ $0 }) else {
            throw ProgramRefusal("this system runs no programs")
        }
        return try host.run(self, context)
    }

    package func validate(_ output: ProgramOutput) throws { try output.check(of: self) }
}
