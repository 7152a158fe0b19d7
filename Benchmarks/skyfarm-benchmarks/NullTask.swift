import ScanCluster

/// A task that computes a number from its ID, as the null tasks of the other schedulers do. Its duration is the cost of
/// transport and bookkeeping.
struct NullTask: ScanTask {
    static let typeName = "skyfarm-benchmarks.null/1"

    var id: Int

    func scan(_ context: ScanContext) -> Int { Self.value(of: id) }

    /// The output of a task; the drivers in Benchmarks/peers compute the same.
    static func value(of id: Int) -> Int { 3 * id + 1 }
}
