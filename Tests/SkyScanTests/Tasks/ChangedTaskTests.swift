import Foundation
import ScanBasics
import Testing

@Suite("tasks and outputs in which some values are changed")
struct ChangedTaskTests {
    /// Another one each day, or that of SKYFARM_SEED.
    private static let seed =
        ProcessInfo.processInfo.environment["SKYFARM_SEED"].flatMap(UInt64.init)
        ?? UInt64(Date().timeIntervalSince1970 / 86400)

    @Test("whatever is changed, the receiver throws or returns", arguments: ChangedTasks.Kind.allCases)
    func changed(kind: ChangedTasks.Kind) throws {
        print("changed \(kind): SKYFARM_SEED=\(Self.seed)")
        var accepted = 0
        var random = SplitMix64(seed: Self.seed, stream: UInt64(kind.rawValue.count))
        for _ in 0..<300 { accepted += try ChangedTasks.run(kind, &random) ? 1 : 0 }
        // Neither is everything refused nor everything taken.
        #expect((20..<300).contains(accepted))
    }
}
