// error: type 'Open' does not conform to protocol 'ScanTask'
import SkyfarmKit

/// A task whose output cannot be sent.
struct Open: ScanTask {
    static let typeName = "rejected.open/1"
    struct Handle { var descriptor: Int32 }
    var id: Int

    func scan(_ context: ScanContext) -> Handle { Handle(descriptor: 0) }
}
