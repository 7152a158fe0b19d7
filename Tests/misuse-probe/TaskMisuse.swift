import SkyfarmKit

extension MisuseProbe {
    /// Tasks with wrong properties, errors or sizes.
    static let tasks: [String: Misuse] = [
        "no tasks": { try await locally([Doubling]()) },
        "no tasks in chunks": { try await chunks(of: 4, []) },
        "the same task twice": { try await remotely([Doubling(id: 1), Doubling(id: 1)]) },
        "costs that are no numbers": {
            let costs = [Double.nan, .infinity, -.infinity, -1, 0, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
            return try await remotely(costs.enumerated().map { Doubling(id: $0.offset, cost: $0.element) })
        },
        "costs that are no numbers in chunks": {
            let costs = [Double.nan, .infinity, -1, 0, 1e308, 1e308]
            return try await chunks(of: 3, costs.enumerated().map { Doubling(id: $0.offset, cost: $0.element) })
        },
        "chunks of no tasks": { try await chunks(of: 0, [Doubling(id: 1), Doubling(id: 2)]) },
        "chunks of a negative number of tasks": { try await chunks(of: -7, [Doubling(id: 1), Doubling(id: 2)]) },
        "chunks of too many tasks": {
            try await chunks(of: .max, (1...3).map { Doubling(id: $0) }, options: .init(timeout: .seconds(60)))
        },
        "tag that no system has": {
            try await locally(
                [Doubling(id: 1, requiredTags: ["gpu"])], options: .init(waitForSystems: .milliseconds(50)))
        },
        "tags that are no words": {
            try await locally(
                [Doubling(id: 1, requiredTags: ["", "two words", "line\nbreak"])],
                options: .init(waitForSystems: .milliseconds(50)))
        },
        "error that cannot be coded": { try await remotely([Work(id: 1) { _ in throw OddError() }]) },
        "error of many lines": {
            try await remotely([
                Work(id: 1) { _ in throw OddError(description: String(repeating: "no\n", count: 100_000)) }
            ])
        },
        "error of many lines here": {
            try await locally([
                Work(id: 1) { _ in throw OddError(description: String(repeating: "no\n", count: 100_000)) }
            ])
        },
        "error without words": { try await remotely([Work(id: 1) { _ in throw OddError(description: "") }]) },
        "output larger than a frame": {
            var remote = RemoteNodes.Options()
            remote.frameLimit = 1 << 20
            return try await remotely([Work(id: 1) { _ in [UInt8](repeating: 1, count: 2 << 20) }], remote: remote)
        },
        "task larger than a frame": {
            var limits = NodeServer.Options()
            limits.frameLimit = 1 << 20
            return try await remotely([Work(id: 1, input: [UInt8](repeating: 1, count: 2 << 20))], limits: limits)
        },
        "bulk bytes of a negative count": {
            try await remotely([Work(id: 1)]) { _ in
                BulkSource(byteCount: -5) { BulkBytes(byteCount: -5) { _ in } }
            }
        },
        "fewer bulk bytes than announced": {
            try await remotely([Work(id: 1) { [UInt8(try $0.requireBulk().count)] }]) { _ in
                BulkSource(byteCount: 100) { BulkBytes(byteCount: 5) { _ in } }
            }
        },
        "bulk bytes of an impossible number": {
            try await remotely([Work(id: 1) { [UInt8(try $0.requireBulk().count / 1000)] }]) { _ in
                BulkSource(byteCount: 100_000, numberSize: 3) {
                    BulkBytes(byteCount: 100_000) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
                }
            }
        },
        "bulk bytes that cannot be read": {
            try await remotely([Work(id: 1)]) { _ in BulkSource(byteCount: 100) { throw OddError() } }
        },
        "bulk bytes that are missing": { try await remotely([Work(id: 1) { [UInt8(try $0.requireBulk().count)] }]) },
        "bulk bytes taken twice": {
            try await remotely([
                Work(id: 1) { context in
                    _ = context.takeBulk()
                    return [UInt8(try context.requireBulk().count)]
                }
            ]) { _ in BulkSource(copying: [1, 2, 3] as [UInt8]) }
        },
        "output that is always refused": {
            struct Refusing: ScanTask {
                static let typeName = "misuse.refusing/1"
                var id: Int
                func scan(_ context: ScanContext) -> Int { id }
                func validate(_ output: Int) throws { throw OddError() }
            }
            return try await locally([Refusing(id: 1)], options: .init(maxSystemFaults: 1))
        },
    ]

    private static func chunks(
        of limit: Int, _ tasks: [Doubling], options: ScanCoordinator.Options = .init()
    ) async throws -> String {
        try await withFarm(discovering: [], keys: keys(), localSlots: 1, options: options) { farm in
            try await outcome(of: farm.coordinator.responses(to: tasks, inChunksOf: limit))
        }
    }
}
