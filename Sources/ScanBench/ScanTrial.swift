import CommandLineKit
package import ScanCluster
import ScanNetwork
import SkyExtraction
package import SkyScan

/// One timed scan of an image, without a catalogue.
package struct ScanTrial: Sendable {
    /// Seconds from opening the image to its last source.
    package var seconds: Double
    /// Steps that had tasks.
    package var steps: [Step]
    /// Time in which no task was running.
    package var serialSeconds: Double
    /// CPU time of this process without its slots.
    package var coordinatorSeconds: Double
    package var sources: Int

    package struct Step: Equatable, Sendable {
        package var name: ScanStep
        package var tasks: Int
        /// Scanning time, summed over all slots.
        package var seconds: Double
        /// Number of bytes of the pixels of its tasks.
        package var bytes: Int
    }

    /// Scanning time, summed over all slots.
    var busySeconds: Double { steps.reduce(0) { $0 + $1.seconds } }
}

extension ScanTrial {
    /// Scans an image on these systems. `bandBytes` is the number of bytes of all bands, including their halos.
    /// - Throws: `CommandError` if a part of the image could not be scanned, and the errors of `SkyScan`.
    package init(of image: String, bandBytes: Int, on systems: Systems) async throws {
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
            throw CommandError(.failure, "bench: part of the scan failed: \(missing.reason); run it again")
        }
        steps = ScanStep.allCases.compactMap { step in
            result.tally.steps[step].map { share in
                // The sectors of bands do not include the halos.
                let isOfBands = step == .background || step == .extraction
                let bytes = isOfBands ? bandBytes : spans.pixels(step) * MemoryLayout<Float>.stride
                return Step(name: step, tasks: share.tasks, seconds: share.seconds, bytes: bytes)
            }
        }
        serialSeconds = max(0, seconds - spans.seconds)
        let local = localNames.reduce(0) { $0 + (result.tally.systems[$1]?.seconds ?? 0) }
        coordinatorSeconds = max(0, ProcessorTime.used - processor - local)
        sources = result.sources.count
    }
}

extension [ScanTrial] {
    /// Returns the values of one quantity in all trials.
    func sample(_ quantity: (ScanTrial) -> Double) -> Sample { Sample(map(quantity)) }
}
