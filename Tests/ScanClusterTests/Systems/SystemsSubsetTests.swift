import ScanCluster
import ScanTestSupport
import Testing

@Suite("a subset of the systems")
struct SystemsSubsetTests {
    @Test("runs tasks on the chosen systems only, with no more of their slots than it may")
    func job() throws {
        var farm = Farm()
        let nodes = (1...3).map { farm.add($0, slots: 4) }
        farm.systems = farm.systems.subset([.test(2), .test(9)], slots: 1)
        let report = try #require(farm.run(50))
        #expect(report.isComplete(50) && report.bySystem == ["node-2": 50])
        #expect(nodes[1].mostRunning == 1)
        #expect(farm.systems.snapshot.map(\.slots) == [1])
    }

    @Test("leaves the depth unchanged where it does not limit slots")
    func depth() throws {
        var farm = Farm()
        let node = farm.add(1, slots: 2)
        farm.systems = farm.systems.subset([.test(1)])
        #expect(try #require(farm.run(50)).isComplete(50))
        #expect(node.mostRunning == 4)
    }
}
