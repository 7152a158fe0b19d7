import ScanCluster

/// Doubles a number.
struct DoubleTask: ScanTask {
    static let typeName = "test.double/1"
    var id: Int

    func scan(_ context: ScanContext) -> Int { 2 * id }
}
