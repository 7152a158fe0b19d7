import Foundation
package import ScanCluster
import ScanFarm
import ScanNetwork
import SkyExtraction
import SkyScan

/// Performs the measurements of `skyfarm bench`. All systems are measured in turn, several times, after a warm-up run.
struct BenchRun: Sendable {
    private let farm: Systems
    private let systems: [SystemSnapshot]
    private let runs: Int

    /// Approximate duration of one measurement of dispatch, latency or link, in seconds.
    private static let seconds = 0.5
    /// Maximum number of tasks in a chunk.
    private static let chunk = 64
    /// Bytes of a task that measures the link, about as many as a band has.
    private static let linkBytes = 4 << 20

    /// Creates a run that measures each of these systems `runs` times.
    init(_ farm: Systems, _ systems: [SystemSnapshot], runs: Int) {
        (self.farm, self.systems, self.runs) = (farm, systems, runs)
    }

    private func alone(_ system: SystemSnapshot, slots: Int = .max) -> Systems {
        farm.subset(CollectionOfOne(system.id), slots: slots)
    }

    private var together: Systems { farm.subset(systems.lazy.map(\.id)) }

    private var nodes: Systems { farm.subset(systems.lazy.filter { !$0.isLocal }.map(\.id)) }

    // MARK: Null tasks

    func dispatch() async throws -> BenchReport.Dispatch {
        var rows = systems.map { (probe: ClusterProbe(alone($0)), chunk: 1) }
        if systems.count > 1 { rows.append((ClusterProbe(together), 1)) }
        rows.append((ClusterProbe(together), Self.chunk))
        var counts: [Int] = []
        for row in rows {
            let rate = try await row.probe.rate(tasks: 1000, inChunksOf: row.chunk)
            counts.append(min(max(Int(rate * Self.seconds), 1000), 1_000_000))
        }
        var rates = rows.map { _ in Sample() }
        for _ in 0..<runs {
            for (index, row) in rows.enumerated() {
                rates[index].add(try await row.probe.rate(tasks: counts[index], inChunksOf: row.chunk))
            }
        }
        let inChunks = rates.removeLast()
        let together = systems.count > 1 ? rates.removeLast() : nil
        return BenchReport.Dispatch(alone: rates, together: together, inChunks: inChunks)
    }

    func latency() async throws -> BenchReport.Latency {
        let empty = systems.map { _ in Sample() }
        var result = BenchReport.Latency(p50: empty, p99: empty)
        let probes = systems.map { ClusterProbe(alone($0)) }
        var counts: [Int] = []
        for probe in probes {
            counts.append(min(max(Int(Self.seconds / (try await probe.roundTrips(20).median)), 20), 2000))
        }
        for _ in 0..<runs {
            for (index, probe) in probes.enumerated() {
                let times = try await probe.roundTrips(counts[index])
                result.p50[index].add(times.median)
                result.p99[index].add(times.quantile(0.99))
            }
        }
        return result
    }

    // MARK: Scans

    /// Scans an image. `isSynthetic` tells whether it was created for the measurement; `links` are the links to
    /// forecast for.
    func scan(_ path: String, isSynthetic: Bool, links: [LinkRate]) async throws -> BenchReport.Scan {
        let image = try image(path, isSynthetic: isSynthetic)
        func trial(_ systems: Systems) async throws -> ScanTrial {
            try await ScanTrial(of: path, bandBytes: image.bytes, on: systems)
        }
        var measurement = ScanMeasurement(
            image: image, systems: systems.map(BenchReport.System.init), oneSlot: systems.map { _ in [] },
            thisMachine: [], together: [], way: try await way(), links: links)
        // The first scan brings the image into the page cache.
        _ = try await trial(together)
        for _ in 0..<runs {
            for (index, system) in systems.enumerated() {
                measurement.oneSlot[index].append(try await trial(alone(system, slots: 1)))
            }
            measurement.together.append(try await trial(together))
            guard let local = systems.first(where: \.isLocal) else { continue }
            let isKnown = systems.count == 1
            measurement.thisMachine.append(
                isKnown ? measurement.together[measurement.together.count - 1] : try await trial(alone(local)))
        }
        measurement.coordinator = try await CoordinatorCost.measure(path)
        return measurement.report
    }

    private func image(_ path: String, isSynthetic: Bool) throws -> ScanMeasurement.Image {
        let reader = try ImageReader(image: path)
        let summary = reader.summary
        let plan = try BandPlan(width: summary.width, height: summary.height, parameters: ScanParameters())
        let pixels = (0..<plan.count).reduce(0) { $0 + plan[$1].window.area }
        return ScanMeasurement.Image(
            name: isSynthetic ? "synthetic sky" : path, isSynthetic: isSynthetic, width: summary.width,
            height: summary.height, bands: plan.count, bytes: Int(Double(pixels) * reader.sentBytesPerPixel))
    }

    /// Measures the link to all nodes at the same time. Returns nil without nodes.
    private func way() async throws -> ScanMeasurement.Way? {
        let nodes = nodes
        if nodes.snapshot.isEmpty { return nil }
        let probe = ClusterProbe(nodes)
        var roundTrips = Sample()
        var link = Sample()
        let first = try await probe.bandwidth(tasks: nodes.snapshot.count, bytesEach: Self.linkBytes / 4)
        let count = min(max(Int(first * Self.seconds) / Self.linkBytes, nodes.snapshot.count), 256)
        for _ in 0..<runs {
            roundTrips.add(try await probe.roundTrips(20).median)
            link.add(try await probe.bandwidth(tasks: count, bytesEach: Self.linkBytes))
        }
        return ScanMeasurement.Way(roundTrip: roundTrips.median, link: link)
    }
}

extension BenchReport.System {
    package init(_ system: SystemSnapshot) {
        self.init(name: system.name, slots: system.slots, isLocal: system.isLocal)
    }
}
