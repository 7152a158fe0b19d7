package import CommandLineKit
import Console
import Foundation
import ImageScanning
import ScanBasics
import SkyCalibration
import SkyFITS

/// `skyfarm calibrate` reduces raw frames: overscan, trim, bias, dark, flat, bad pixels and cosmic rays.
///
/// Frames are calibrated side by side on this machine; nodes search their cosmic rays, too (``FrameCalibrator``). A frame
/// that cannot be calibrated fails alone. A folder of frames of all kinds is sorted by their headers
/// (``NightCalibration``).
package struct CalibrateCommand: Command {
    package let options: Options

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        let files = try InputList(
            options.frames, isRecursive: options.night.isRecursive, standardInput: StandardInput.text
        ).required()
        let isNight = options.night.isAsked || !options.hasMasters && options.namesFolder
        if isNight {
            let night = try NightCalibration(options, files)
            if options.night.isDryRun { return try night.show() }
            return try await finish(night.run())
        }
        return try await finish(calibrate(files))
    }

    /// Scans what was calibrated, unless the command was stopped.
    private func finish(_ end: (report: CalibrationReport, signal: Interrupts.Signal?)) async throws -> ExitCode {
        if let signal = end.signal { return signal.exitCode }
        return try await scan(end.report)
    }

    private func calibrate(
        _ files: [InputList.File]
    ) async throws -> (report: CalibrationReport, signal: Interrupts.Signal?) {
        let plan = try CalibrationPlan(files, options)
        let masters = try MasterImages(options.recipe)
        try plan.prepare()
        let display = ProgressDisplay(options.common, options.log)
        let interrupts = Interrupts(beforeExit: display.abandon)
        defer { display.finish() }
        let record = FrameRecord(options.report, frames: files.count)
        let calibrator = try FrameCalibrator(options, display, interrupts, record)
        defer { calibrator.close() }
        display.handle(.stage("calibrate"))
        let results = try await calibrator.calibrate(
            files.map(\.location), plan.outputs, options.recipe, masters)
        display.finish()
        let warnings = masters.warnings()
        for warning in warnings { options.log.write(.warning, StyledText(warning)) }
        var report = CalibrationReport(
            rows: files.indices.map { index in
                CalibrationReport.Row(
                    name: files[index].name, path: files[index].path, output: plan.outputs[index].path,
                    result: results[index])
            })
        report.systems = calibrator.systems
        try report.write(options.output, options.common, options.log)
        try record?.write(options.output, report.frames, options.recipe.shownMasters, notes: warnings)
        return (report, interrupts.received)
    }
}
