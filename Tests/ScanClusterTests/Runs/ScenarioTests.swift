import ScanBasics
import ScanCluster
import ScanTestSupport
import Testing

@Suite struct ScenarioTests {
    @Test("whatever nodes do, every task is answered once, rightly or with its failure", arguments: 0..<300)
    func scenario(seed: Int) throws {
        let farm = Farm()
        let random = Locked(SplitMix64(seed: UInt64(seed)))
        @Sendable func chance(_ range: Range<Int>) -> Int { random.withLock { Int.random(in: range, using: &$0) } }
        @Sendable func delay() -> Duration { .microseconds(chance(10..<20_000)) }

        // One node is sound, so that the run can end; the others have random faults, and come back.
        let sound = farm.node(1) { _, _ in .answer(after: delay()) }
        _ = farm.clock.schedule(at: Instant(nanoseconds: Int64(chance(0..<50_000_000)))) { farm.join(sound, 1) }
        let faultRate = chance(1..<40)
        @Sendable func start(_ number: UInt64) {
            let node = FakeNode(
                name: "node-\(number)", clock: farm.clock,
                onCrash: {
                    farm.systems.leave(.test(number))
                    let back = farm.clock.now.advanced(by: delay())
                    if number < 100 { _ = farm.clock.schedule(at: back) { start(number + 10) } }
                },
                corrupt: { ($0 as? Int).map { $0 + 1 } ?? $0 },
                behaviour: { _, _ in
                    if chance(0..<100) >= faultRate { return .answer(after: delay()) }
                    switch chance(0..<6) {
                    case 0: return .throwing("a bad day", after: delay())
                    case 1: return .hang
                    case 2: return .fail(.refused, after: delay())
                    case 3: return .garbage(after: delay())
                    case 4: return .fail(.systemLost, after: delay())
                    default: return .crash(after: delay())
                    }
                })
            farm.join(node, number, slots: chance(1..<5))
        }
        for number in 2..<(2 + chance(0..<5)) { start(UInt64(number)) }
        let count = chance(1..<120)
        let report = try #require(
            farm.run(count, options: .init(timeout: .seconds(2))), "seed \(seed): the job hangs")
        #expect(report.error == nil, "seed \(seed)")
        #expect(report.responses == count, "seed \(seed)")
        #expect(report.outputs.count + report.failures.count == count, "seed \(seed)")
        #expect(report.outputs.allSatisfy { $0.value == $0.key * $0.key }, "seed \(seed)")
        #expect(sound.running == 0, "seed \(seed)")
        #expect(farm.systems.snapshot.allSatisfy { $0.inFlight == 0 }, "seed \(seed)")
    }
}
