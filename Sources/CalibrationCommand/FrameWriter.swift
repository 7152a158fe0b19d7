import Console
import SkyCalibration
import SkyFITS

/// Writes calibrated frames, and has each recorded for the page of `--report`.
struct FrameWriter: Sendable {
    let overwrite: Bool
    let interrupts: Interrupts
    /// Nil without a page.
    let record: FrameRecord?

    /// Calibrates a frame and writes it.
    /// - Parameters:
    ///   - frame: the raw frame.
    ///   - output: its file.
    ///   - calibration: its recipe and masters.
    ///   - rays: the cosmic rays of each image, if they were searched before.
    ///   - check: called before each image and before the file appears; an error that it throws ends the work.
    /// - Returns: what was found in the frame.
    /// - Throws: as `CalibratedFile.write`; `CancellationError` after a signal.
    func write(
        _ frame: ImageLocation, to output: CalibrationPlan.Output, _ calibration: FrameCalibration,
        rays: [FoundRays]? = nil, check: () throws -> Void = {}
    ) throws -> CalibratedFile.Summary {
        let file = CalibratedFile(calibration.recipe, calibration.masters)
        let summary = try file.write(
            frame, to: output.path, overwrite: overwrite, isCompressed: output.isCompressed, rays: rays
        ) {
            try interrupts.check()
            try check()
        }
        record?.add(output.path, summary)
        return summary
    }
}
