import Foundation
import SkyfarmKit

/// Counts how often each value occurs in a piece of a file, which travels beside the task as bulk bytes.
struct ByteCounts: ScanTask {
    static let typeName = "example.histogram/1"
    var id: Int
    var piece: Range<Int>
    /// Expected work: a long piece takes longer.
    var cost: Double { Double(piece.count) }

    func scan(_ context: ScanContext) throws -> [Int] {
        try context.requireBulk().withUnsafeBytes { bytes in
            bytes.reduce(into: Array(repeating: 0, count: 256)) { $0[Int($1)] += 1 }
        }
    }

    func validate(_ output: [Int]) throws {
        guard output.count == 256, output.reduce(0, +) == piece.count else { throw WrongCounts() }
    }
}

struct WrongCounts: Error {}

@main struct Histogram {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        await runProgram("histogram") {
            switch (arguments.first, arguments.count) {
            case ("node", 1...2): try await serve(listen: arguments.count > 1 ? arguments[1] : ":0")
            case ("count", 2...): try await count(arguments[1], nodes: Array(arguments.dropFirst(2)))
            default: print("usage: histogram node [ADDR:PORT]\n       histogram count FILE [HOST:PORT]…")
            }
        }
    }

    static func serve(listen: String) async throws {
        let keys = try KeyStore.user().ring()
        let node = ScanNode(keys: keys, slots: 2, serving: TaskTypes(ByteCounts.self), listen: listen)
        try await node.run { print("ready", $0) }
    }

    static func count(_ path: String, nodes: [String]) async throws {
        let file = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        let starts = stride(from: 0, to: file.count, by: 1 << 20)
        let tasks = starts.map { ByteCounts(id: $0, piece: $0..<min(file.count, $0 + (1 << 20))) }
        var counts = Array(repeating: 0, count: 256)
        try await withFarm(running: ByteCounts.self, nodes: nodes) { farm in
            // Called when the task is sent: only pieces that are in flight are in memory.
            let responses = farm.responses(to: tasks, bulk: { BulkSource(copying: file[$0.piece]) })
            for try await response in responses { counts = zip(counts, try response.get()).map(+) }
        }
        for (value, count) in counts.enumerated() where count > 0 { print(value, count) }
    }
}
