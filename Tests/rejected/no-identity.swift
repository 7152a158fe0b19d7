// error: type 'Anonymous' does not conform to protocol 'Identifiable'
import SkyfarmKit

/// A task whose response could not be told from others.
struct Anonymous: ScanTask {
    static let typeName = "rejected.anonymous/1"
    var number: Int

    func scan(_ context: ScanContext) -> Int { number }
}
