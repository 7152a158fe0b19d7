import ScanCluster
import SkyfarmTesting

/// Farms out tasks to slots of this process, and to simulated nodes: for scripts/consumer-test, which builds it where no
/// library of C is installed.
struct PrimeCount: ScanTask {
    static let typeName = "consumer.primes/1"
    var id: Int
    var range: Range<Int>

    func scan(_ context: ScanContext) throws -> Int {
        range.count { number in number > 1 && !(2..<number).contains { number.isMultiple(of: $0) } }
    }
}

@main struct Local {
    static func main() async throws {
        let tasks = (0..<20).map { PrimeCount(id: $0, range: $0 * 100..<($0 + 1) * 100) }
        let clock = DispatchClock()
        let systems = Systems(clock: clock)
        var random = SystemRandomNumberGenerator()
        let here = ScanSystem(local: 2, id: SystemID(using: &random), name: "here", clock: clock)
        systems.join(here)
        var primes = 0
        for try await response in ScanCoordinator(systems: systems, clock: clock).responses(to: tasks) {
            primes += try response.get()
        }
        await here.close()

        var farm = SimulatedFarm(nodes: 2)
        farm.nodes[0].faults = [.kill(at: .seconds(3))]
        let simulated = try farm.run(tasks).outputs().values.reduce(0, +)
        print(primes, simulated)
    }
}
