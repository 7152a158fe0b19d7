import Foundation
import ScanCluster
import ScanFarm
import ScanNetwork
import ScanSecurity

/// Returns many numbers.
struct Numbers: ScanTask {
    static let typeName = "probe.numbers/1"
    static let count = 50_000
    var id: Int

    func scan(_ context: ScanContext) -> [Int] { (0..<Self.count).map { $0 &* id } }

    func validate(_ output: [Int]) throws {
        if output.count != Self.count || output.last != (Self.count - 1) * id { throw WrongNap() }
    }
}

/// Adds up numbers that were kept.
struct NumberSum: ScanTask {
    static let typeName = "probe.sum/1"
    var id: Int

    func scan(_ context: ScanContext) throws -> Int { try context.shared([Int].self).reduce(0, +) }
}

extension FaultProbe {
    static func keep(as name: String) async throws {
        let node = ScanNode(
            name: name, keys: try KeyStore.user().ring(), slots: 2,
            serving: TaskTypes(Keeping<Numbers>.self, NumberSum.self), listen: "127.0.0.1:0", discovering: [])
        try await node.run { address in
            print("ready", address)
            fflush(nil)
        }
    }

    /// Reports on standard error where results are kept, where they are used, and what is fetched after one of the nodes has
    /// been lost.
    static func useKept(on nodes: [String]) async throws {
        let farm = try await Farm(running: Keeping<Numbers>.self, nodes: nodes, localSlots: 0)
        var kept: [KeptResult<Numbers>] = []
        for try await response in farm.responses(keeping: (0..<8).map { Numbers(id: $0) }) {
            kept.append(try response.get())
        }
        let results = Dictionary(uniqueKeysWithValues: kept.map { ($0.task.id, $0) })
        var (right, near) = (0, 0)
        let sums = farm.responses(
            to: (0..<8).map { NumberSum(id: $0) }, bulk: { sum in results[sum.id].map { farm.source(of: $0) } })
        for try await response in sums {
            right += try response.get() == Numbers.count * (Numbers.count - 1) / 2 * response.id ? 1 : 0
            near += response.system == results[response.id]?.system ? 1 : 0
        }
        write("sums \(right) right, \(near) where they are kept, \(farm.nodes.traffic.sent.bytes) bytes sent")
        write("kept \(kept.map(\.system).sorted().joined(separator: " "))")
        let before = farm.systems.snapshot.count
        while farm.systems.snapshot.count == before { try await Task.sleep(for: .milliseconds(10)) }
        var (values, lost) = (0, 0)
        for result in kept {
            do {
                _ = try await farm.value(of: result, ifLost: .fail)
            } catch let error as KeptResultLost {
                lost += error.system == result.system ? 1 : 0
            }
            values += try await farm.value(of: result).last == (Numbers.count - 1) * result.task.id ? 1 : 0
        }
        write("fetched \(values), of which \(lost) were lost")
        await farm.close()
    }
}
