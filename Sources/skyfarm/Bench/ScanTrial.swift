import ScanCluster
import ScanNetwork
import SkyImage
import SkyScan

/// One timed scan of an image, from its opening to the last source; no catalogue is written.
struct ScanTrial: Sendable {
    /// Time of the whole.
    var seconds: Double
    /// Time that slots scanned, summed over all.
    var busySeconds: Double
    /// Time in which no task was under way.
    var serialSeconds: Double
    /// Processor time that this process used beside its own slots.
    var coordinatorSeconds: Double
    /// Sources that were found.
    var sources: Int
}

extension ScanTrial {
    /// Scans an image on these systems.
    /// - Throws: ``CommandError`` if a part of the image could not be scanned, and what `SkyScan` throws.
    init(of image: String, on systems: Systems) async throws {
        let loop = EventLoop.shared
        let coordinator = ScanCoordinator(
            systems: systems, options: .init(maxAttempts: 1, maxSystemFaults: 1), clock: loop, executor: loop)
        let spans = TaskSpans()
        let localNames = systems.snapshot.filter(\.isLocal).map(\.name)
        let processor = ProcessorTime.used
        let start = ContinuousClock.now
        let scan = try SkyScan(
            reader: try ImageReader(image: image), parameters: ScanParameters(), coordinator: coordinator,
            job: .random(in: .min ... .max), observer: spans.handle)
        let result = try await scan.run()
        seconds = (ContinuousClock.now - start) / .seconds(1)
        if let missing = result.missing.first {
            throw CommandError(.failure, "bench: a part of the scan failed: \(missing.reason); run it again")
        }
        let shares = result.tally.systems
        busySeconds = shares.values.reduce(0) { $0 + $1.seconds }
        serialSeconds = max(0, seconds - spans.seconds)
        let local = localNames.reduce(0) { $0 + (shares[$1]?.seconds ?? 0) }
        coordinatorSeconds = max(0, ProcessorTime.used - processor - local)
        sources = result.sources.count
    }
}

extension [ScanTrial] {
    /// One quantity of all trials.
    func sample(_ quantity: (ScanTrial) -> Double) -> Sample { Sample(map(quantity)) }
}
