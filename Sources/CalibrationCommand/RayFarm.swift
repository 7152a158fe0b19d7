import Console
import Foundation
import ImageScanning
import ScanBasics
import ScanCluster
import ScanFarm
import ScanNetwork
import SkyCalibration
import SkyFITS
import SkyScan
import TaskJournal

/// The slots of this machine and of nodes, which search cosmic rays in bands of frames.
///
/// A node gets the raw samples of a band and its masters once, or else calibrated pixels, and returns the pixels of cosmic
/// rays alone. This machine calibrates each frame once more, and writes it with them: all other pixels are known here.
struct RayFarm: Sendable {
    let node: ScanNode
    let events: ScanEvents
    let cluster: ClusterOptions
    /// Rows of a band; nil to choose them.
    let bandRows: Int?
    let systems = Locked<[String: Int]>([:])
    /// Opens frames, one after the other.
    let opener = BlockingExecutor(label: "skyfarm.calibrate.opener")
    let writers: [BlockingExecutor]

    /// Connects nodes, and starts to discover others.
    /// - Throws: `KeyError` if nodes are needed and no usable key exists.
    init(_ cluster: ClusterOptions, bandRows: Int?, _ display: ProgressDisplay) throws {
        (self.cluster, self.bandRows) = (cluster, bandRows)
        events = ScanEvents(display: display)
        var remote = RemoteNodes.Options.sky
        remote.taskTypes = [CosmicRayTask.typeName, MasterTask.typeName]
        let limits = ScanCoordinator.Options(
            waitForSystems: .seconds(cluster.waitSeconds), adaptiveTimeout: AdaptiveTimeout())
        node = try ScanNode.started(
            cluster, remote: remote, local: (cluster.slotsHere, []), limits: limits, events: events)
        writers = (0..<min(4, ProcessInfo.processInfo.activeProcessorCount)).map { _ in
            BlockingExecutor(label: "skyfarm.calibrate.writer")
        }
    }

    /// Waits for a system that can take tasks.
    /// - Throws: as `ScanNode.join`.
    func join() async throws { try await node.join(cluster, events) }

    func close() { node.disconnect() }
}

/// Calibrates frames: on the threads of this machine, or with a ``RayFarm`` if cosmic rays are searched.
struct FrameCalibrator: Sendable {
    private let options: CalibrateCommand.Options
    private let writer: FrameWriter
    private let farm: RayFarm?

    /// Connects nodes if they are of use. `record` gets the frames; nil without a page.
    /// - Throws: `KeyError` if nodes are needed and no usable key exists.
    init(
        _ options: CalibrateCommand.Options, _ display: ProgressDisplay, _ interrupts: Interrupts,
        _ record: FrameRecord?
    ) throws {
        self.options = options
        writer = FrameWriter(overwrite: options.overwrite, interrupts: interrupts, record: record)
        farm =
            options.recipe.cosmicRays == nil
            ? nil : try RayFarm(options.cluster, bandRows: options.bandRows, display)
    }

    /// Number of bands that each system has searched; nil without a search.
    var systems: [String: Int]? { farm?.systems.withLock(\.self) }

    func close() { farm?.close() }

    /// Calibrates frames that have the same masters, in any order.
    /// - Throws: what ends the command: ``ScanError`` or ``ConnectError`` if there is no system.
    func calibrate(
        _ frames: [ImageLocation], _ outputs: [CalibrationPlan.Output], _ recipe: CalibrationRecipe,
        _ masters: MasterImages
    ) async throws -> FarmedFrames.Outcome {
        let calibration = FrameCalibration(recipe, masters)
        guard let farm else { return here(frames, outputs, calibration) }
        let interrupts = writer.interrupts
        let farmed = FarmedFrames(farm, frames, outputs, calibration, writer)
        let work = Task {
            try await farm.join()
            return try await farmed.run()
        }
        farm.events.choice.onAmbiguity { work.cancel() }
        do {
            return try await interrupts.value(of: work)
        } catch {
            if let ambiguous = farm.events.choice.error { throw ambiguous }
            guard error is CancellationError, interrupts.received != nil else { throw error }
            return farmed.outcome
        }
    }

    private func here(
        _ frames: [ImageLocation], _ outputs: [CalibrationPlan.Output], _ calibration: FrameCalibration
    ) -> FarmedFrames.Outcome {
        options.slots.map(frames.indices) { try writer.write(frames[$0], to: outputs[$0], calibration) }
    }
}
