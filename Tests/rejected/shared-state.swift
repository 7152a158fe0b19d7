// error: stored property 'counter' of 'Sendable'-conforming struct 'Count' has non-Sendable type 'Count.Counter'
import SkyfarmKit

/// A task that changes what other threads may change at the same time.
struct Count: ScanTask {
    static let typeName = "rejected.count/1"
    final class Counter: Codable { var value = 0 }
    var id: Int
    var counter: Counter

    func scan(_ context: ScanContext) -> Int { counter.value }
}
