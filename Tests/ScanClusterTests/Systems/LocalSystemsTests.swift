import ScanCluster
import Testing

@Suite("Systems of this process without a network", .timeLimit(.minutes(10)))
struct LocalSystemsTests {
    @Test("run tasks, and join while the registry is in use")
    func run() async throws {
        let systems = Systems(ScanSystem(name: "small", slots: 1))
        systems.join(ScanSystem(name: "large", slots: 3))
        #expect(systems.snapshot.map(\.name) == ["small", "large"])
        #expect(systems.snapshot.map(\.slots) == [1, 3])
        var sum = 0
        for try await response in ScanCoordinator(systems).responses(to: (0..<100).map { Square(id: $0) }) {
            sum += try response.get()
        }
        #expect(sum == (0..<100).reduce(0) { $0 + $1 * $1 })
    }

    @Test("may be none")
    func none() { #expect(Systems().snapshot.isEmpty) }
}
