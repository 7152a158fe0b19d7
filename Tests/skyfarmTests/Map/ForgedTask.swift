import ProgramTask
import ScanCluster

/// A task with the coded form of `Work` that may go to every node.
struct ForgedTask<Work: ScanTask>: ScanTask {
    static var typeName: String { Work.typeName }
    var task: Work
    var id: Work.ID { task.id }

    init(task: Work) { self.task = task }
    init(from decoder: any Decoder) throws { task = try Work(from: decoder) }
    func encode(to encoder: any Encoder) throws { try task.encode(to: encoder) }
    func scan(_ context: ScanContext) throws -> Work.Output { throw ProgramRefusal("not here") }
}
