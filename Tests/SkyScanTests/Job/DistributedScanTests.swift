import Foundation
import ScanCluster
import ScanNetwork
import SkyScan
import SkyTestSupport
import Testing

@Suite(
    "a farmed-out scan of real images", .timeLimit(.minutes(10)), .serialized,
    .enabled(if: !RealImages.all.isEmpty, Comment(rawValue: RealImages.missing))
)
struct DistributedScanTests {
    /// All combinations instead of a choice.
    static let isThorough = ProcessInfo.processInfo.environment["SKYFARM_SOAK"] != nil

    @Test("equals the whole-image run for every band height and number of nodes", arguments: ScanMode.all)
    func equalsWholeImage(mode: ScanMode) async throws {
        let reference = try mode.reference()
        for (position, nodes) in [1, 2, 4].enumerated() {
            let cluster = try await LoopbackCluster(nodes: nodes)
            defer { cluster.close() }
            for (other, rows) in [64, 128, 320, 1 << 20].enumerated() {
                // Every mode sees every height and every number of nodes; the pairs are shared out among the modes.
                guard Self.isThorough || (position + other + mode.index) % 3 == 0 else { continue }
                let result = try await scan(mode, rows: rows, coordinator: cluster.coordinator)
                #expect(result.sources.differences(to: reference) == [], "\(nodes) nodes, bands of \(rows) rows")
                #expect(result.missing.isEmpty)
                // Each band's last task ran where its pixels were.
                if nodes == 1 { #expect(cluster.servers[0].status.bulkBytes == 0) }
            }
        }
    }

    @Test("equals it when a node leaves during the scan", arguments: ScanMode.all)
    func survivesLostNode(mode: ScanMode) async throws {
        let reference = try mode.reference()
        // In each step a node may hold tasks: at the first response of the step it goes.
        for (position, step) in [ScanStep.background, .extraction, .cutIslands].enumerated() {
            guard Self.isThorough || (position + mode.index) % 3 == 0 else { continue }
            let cluster = try await LoopbackCluster(nodes: 2)
            defer { cluster.close() }
            let result = try await scan(mode, rows: 64, coordinator: cluster.coordinator) { event in
                if case .job(step, .taskFinished) = event { cluster.servers[0].stop() }
            }
            #expect(result.sources.differences(to: reference) == [], "lost in step \(step)")
            #expect(result.missing.isEmpty)
        }
    }

    @Test("equals it when tasks complete in shuffled order", arguments: ScanMode.all)
    func ignoresOrder(mode: ScanMode) async throws {
        let reference = try mode.reference()
        for seed in UInt64(1)...(Self.isThorough ? 4 : 1) {
            let systems = Systems(clock: EventLoop.shared)
            let system = ScanSystem(
                remote: ShufflingTransport(seed: seed), id: SystemID(high: 0, low: seed), name: "shuffled", slots: 8,
                clock: EventLoop.shared)
            systems.join(system)
            let coordinator = ScanCoordinator(systems: systems, clock: EventLoop.shared)
            let result = try await scan(mode, rows: 64, coordinator: coordinator)
            #expect(result.sources.differences(to: reference) == [], "seed \(seed)")
            await system.close()
        }
    }

    private func scan(
        _ mode: ScanMode, rows: Int, coordinator: ScanCoordinator,
        observer: @escaping @Sendable (SkyScanEvent) -> Void = { _ in }
    ) async throws -> SkyScanResult {
        let reader = try ImageReader(image: mode.path)
        let job = try SkyScan(
            reader: reader, parameters: mode.parameters, bandRows: rows, coordinator: coordinator,
            job: UInt64.random(in: .min ... .max), observer: observer)
        return try await job.run()
    }
}
