package import ScanCluster
package import SkyExtraction
internal import SkyFITS
package import SkyMeasurement

/// The scan of a window, as a task of the cluster.
package struct StepTask<Step: WindowStep>: WindowTask {
    package static var typeName: String { Step.typeName }
    package static var costPerPixel: Double { Step.costPerPixel }

    /// Index of the window in its round: the number of the band, if the step is one over bands.
    package let id: Int
    package let scan: Step
    package let window: WindowPixels

    package var cost: Double { scan.cost }

    package func scan(_ context: ScanContext) throws -> Step.Output {
        try scan.validate()
        guard scan.rect == window.rect else {
            throw ScanSetupError("the scan of the window \(scan.rect) came with the pixels \(window.rect)")
        }
        return try window.withView(for: context, scan.scan)
    }

    package func validate(_ output: Step.Output) throws { try scan.validate(output) }
}

package typealias ImageTask = StepTask<ImageExtraction>
package typealias MeshTask = StepTask<MeshMeasurement>
package typealias BandTask = StepTask<BandExtraction>
package typealias CutIslandTask = StepTask<CutIslandExtraction>
package typealias ApertureTask = StepTask<WindowPhotometry>
package typealias MeasurementTask = StepTask<WindowMeasurement>
package typealias ForcedTask = StepTask<ForcedPhotometry>
