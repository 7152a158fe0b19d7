import ScanCluster
import Testing

@testable import ScanBench

@Suite("measurements of the scans of a benchmark")
struct ScanMeasurementTests {
    static let image = ScanMeasurement.Image(name: "sky", width: 1000, height: 1000, bands: 10, bytes: 4_400_000)

    /// A fifth of the scanning is the background's.
    static func trial(_ seconds: Double, busy: Double, serial: Double = 0, coordinator: Double = 0) -> ScanTrial {
        ScanTrial(
            seconds: seconds,
            steps: [
                .init(name: .background, tasks: 10, seconds: busy * 0.2, bytes: image.bytes),
                .init(name: .extraction, tasks: 10, seconds: busy * 0.8, bytes: image.bytes),
            ], serialSeconds: serial, coordinatorSeconds: coordinator, sources: 7)
    }

    /// This machine with two slots, and a node of four that are half as fast.
    static let measurement = ScanMeasurement(
        image: image,
        systems: [
            .init(name: "local", slots: 2, isLocal: true), .init(name: "alpha", slots: 4, isLocal: false),
        ],
        oneSlot: [
            [trial(10, busy: 10), trial(11, busy: 10), trial(10, busy: 10)],
            [trial(21, busy: 20, coordinator: 1), trial(20, busy: 20, coordinator: 1)],
        ],
        thisMachine: [trial(6, busy: 10), trial(5.5, busy: 10)],
        together: [trial(4, busy: 18, serial: 0.4), trial(4, busy: 18, serial: 0.4)],
        way: .init(roundTrip: 0.001, link: Sample([2.2e6, 2.2e6])))

    @Test("slots count by their speed, and the speed-up is against one slot of this machine")
    func efficiency() {
        let scan = Self.measurement.report
        #expect(scan.effectiveSlots == 4)
        #expect(scan.speedUp == 2.5)
        #expect(scan.efficiency == 0.625)
        // Each system takes half of the pixels: 5 s here and 10 s there, if nothing were shared.
        #expect(scan.slowdown == 1.2)
        #expect(scan.sources == 7 && scan.rate(4) == 250_000)
    }

    @Test("the slots' time is scanning, waiting, and what the coordinator does alone")
    func shares() {
        let shares = Self.measurement.report.shares
        #expect(shares.compute == 0.75 && shares.coordinator == 0.1)
        #expect(abs(shares.waiting - 0.15) < 1e-12)
        // Half of the pixels travel, which takes 1 of 4 s.
        #expect(shares.link == 0.25)
        #expect(shares.bound == .compute)
    }

    @Test(
        "the limit is a share of at least half, if there is one; slots that wait do so for the link if that is busy, else for tasks",
        arguments: [
            (0.5, 0.4, 0.0, ScalingModel.Bound.compute), (0.4, 0.5, 0, .coordinator), (0.2, 0.1, 0.6, .link),
            (0.2, 0.1, 0.1, .tasks), (0.37, 0.33, 0.3, nil), (0.4, 0.2, 0.1, nil),
        ])
    func bound(compute: Double, coordinator: Double, link: Double, bound: ScalingModel.Bound?) {
        #expect(BenchReport.Shares(compute: compute, coordinator: coordinator, link: link).bound == bound)
    }

    @Test("the model is made of what was measured, per task of each step")
    func model() throws {
        let scan = Self.measurement.report
        let model = try #require(scan.model)
        #expect(
            model.steps == [
                .init(tasks: 10, taskSeconds: 0.2, taskBytes: 440_000),
                .init(tasks: 10, taskSeconds: 0.8, taskBytes: 440_000, isKept: true),
            ])
        #expect(model.linkBytesPerSecond == 2.2e6 && model.roundTripSeconds == 0.001)
        #expect(model.coordinatorSeconds == 1 && model.serialSeconds == 0)
        #expect(model.localSlots == 2 && model.slotsPerNode == 4 && model.slotSpeed == 0.5 && model.slowdown == 1.2)
        #expect(scan.forecasts == model.forecasts && scan.enoughNodes == model.enoughNodes && scan.links == [])
        // What was measured together was 4 s.
        #expect(abs(model.forecast(nodes: 1).seconds - 3.84) < 1e-9)
    }

    @Test("a link that was asked for has forecasts of its own")
    func links() throws {
        var measurement = Self.measurement
        measurement.links = [LinkRate(bitsPerSecond: 1e6)]
        let link = try #require(measurement.report.links?.first)
        #expect(link.bitsPerSecond == 1e6 && link.forecasts.map(\.nodes) == [1, 2, 4, 8, 16, 32])
        // Two slots here do all bands before the first has travelled.
        #expect(link.enoughNodes == 0 && link.forecasts.allSatisfy { abs($0.seconds - 1.2 * 5) < 1e-9 })
        measurement.way = nil
        #expect(measurement.report.links == nil)
    }

    @Test("without nodes there is no forecast, and one slot of the fastest node stands in for this machine's")
    func otherCases() {
        var alone = Self.measurement
        alone.way = nil
        alone.systems.removeLast()
        alone.oneSlot.removeLast()
        #expect(alone.report.thisMachine?.median == 5.75)
        #expect(alone.report.model == nil && alone.report.forecasts == nil && alone.report.link == nil)
        #expect(alone.report.effectiveSlots == 2)
        var remote = Self.measurement
        remote.systems = [("alpha", 4), ("beta", 1)].map { .init(name: $0, slots: $1, isLocal: false) }
        remote.oneSlot.reverse()
        remote.thisMachine = []
        #expect(remote.report.thisMachine == nil)
        // Beta is twice as fast as alpha.
        #expect(remote.report.effectiveSlots == 3 && remote.report.speedUp == 2.5)
    }
}
