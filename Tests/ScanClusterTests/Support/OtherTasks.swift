import ScanCluster

/// Adds up its bulk bytes.
struct BulkSum: ScanTask {
    static let typeName = "test.bulk-sum/1"
    var id: Int

    func scan(_ context: ScanContext) throws -> Int {
        guard let bulk = context.bulk else { throw NoBulk() }
        return bulk.withUnsafeBytes { $0.reduce(0) { $0 + Int($1) } }
    }
}

struct NoBulk: Error {}

/// Does what a test says; never leaves this process.
struct Blocking: ScanTask {
    static let typeName = "test.blocking/1"
    var id: Int
    var body: @Sendable (ScanContext) throws -> Int

    init(id: Int, body: @escaping @Sendable (ScanContext) throws -> Int) {
        self.id = id
        self.body = body
    }

    init(from decoder: any Decoder) throws { throw NoBulk() }
    func encode(to encoder: any Encoder) throws { throw NoBulk() }

    func scan(_ context: ScanContext) throws -> Int { try body(context) }
}
