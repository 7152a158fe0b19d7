// error: type 'Nameless' does not conform to protocol 'ScanTask'
import SkyfarmKit

/// A task without the name under which nodes know it.
struct Nameless: ScanTask {
    var id: Int

    func scan(_ context: ScanContext) -> Int { id }
}
