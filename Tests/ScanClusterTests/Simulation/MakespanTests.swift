import ScanCluster
import ScanTestSupport
import Testing

/// What nodes and links are worth, over random clusters. `scripts/soak` compares many more.
@Suite("Over random clusters")
struct MakespanTests {
    static let seeds = Array(UInt64(0)..<500)

    @Test(
        "no node makes a job slower, and slots and links are used",
        arguments: [0..<125, 125..<250, 250..<375, 375..<500])
    func makespans(seeds: Range<Int>) {
        var shares: [Double] = []
        for seed in Self.seeds[seeds] {
            let scenario = MakespanScenario(seed: seed)
            let report = MakespanReport(scenario)
            #expect(
                report.violation == nil,
                "again: skyfarm-simulation --makespan --first \(seed) --count 1 --trace\n\(scenario)")
            shares.append(report.share)
        }
        shares.sort()
        #expect(shares[shares.count / 20] >= 0.85)
    }

    @Test("a node that never answers a task costs a few tenths of a second and the time of some tasks")
    func mute() {
        for seed in Self.seeds.prefix(300) {
            guard let (seconds, most) = MakespanScenario(seed: seed).withMuteNode else { continue }
            #expect(seconds <= most, "seed \(seed)")
        }
    }
}
