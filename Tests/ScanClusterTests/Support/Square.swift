import ScanCluster

/// Squares a number; refuses outputs that are not its square.
struct Square: ScanTask {
    static let typeName = "test.square/1"
    var id: Int
    var cost: Double = 1

    func scan(_ context: ScanContext) throws -> Int { id * id }

    func validate(_ output: Int) throws {
        if output != id * id { throw WrongSquare(output: output) }
    }
}

struct WrongSquare: Error {
    var output: Int
}

extension SystemID {
    static func test(_ number: UInt64) -> SystemID { SystemID(high: 0, low: number) }
}

extension Instant {
    static let zero = Instant(nanoseconds: 0)
}
