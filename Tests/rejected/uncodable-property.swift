// error: type 'Render' does not conform to protocol 'Decodable'
import SkyfarmKit

/// A task with a property that cannot be sent.
struct Render: ScanTask {
    static let typeName = "rejected.render/1"
    var id: Int
    var finished: @Sendable () -> Void

    func scan(_ context: ScanContext) -> Int { id }
}
