package import CommandLineKit
import Console
import Foundation
import ImageScanning
import ScanBasics
import SkyCalibration
import SkyFITS

/// `skyfarm calibrate` reduces raw frames: overscan, trim, bias, dark, flat, bad pixels and cosmic rays.
///
/// Frames are calibrated side by side on this machine. A frame that cannot be calibrated fails alone.
package struct CalibrateCommand: Command {
    package let options: Options

    package init(_ arguments: Arguments) throws(UsageError) { options = try Options(arguments) }

    package func run() async throws -> ExitCode {
        let files = try InputList(options.frames, standardInput: StandardInput.text).required()
        let plan = try CalibrationPlan(files, options)
        let masters = try MasterImages(options.recipe)
        try plan.prepare()
        let display = ProgressDisplay(options.common, options.log)
        let interrupts = Interrupts(beforeExit: display.abandon)
        defer { display.finish() }
        display.handle(.stage("calibrate"))
        let calibration = CalibratedFile(options.recipe, masters)
        let results = options.slots.map(0..<files.count) { index in
            try calibration.write(
                files[index].location, to: plan.outputs[index].path, overwrite: options.overwrite,
                isCompressed: plan.outputs[index].isCompressed
            ) {
                if interrupts.received != nil { throw CancellationError() }
            }
        }
        display.finish()
        for warning in masters.warnings() { options.log.write(.warning, StyledText(warning)) }
        try report(files, plan, results)
        if let signal = interrupts.received { return signal.exitCode }
        return try Self.exitCode(results)
    }

    private static func exitCode(_ results: [Result<CalibratedFile.Summary, any Error>]) throws -> ExitCode {
        let errors = results.compactMap { result -> (any Error)? in
            if case .failure(let error) = result { error } else { nil }
        }
        guard let first = errors.first else { return .complete }
        return errors.count < results.count ? .partialCatalogue : CommandError(first, in: spec.name).code
    }

    private func report(
        _ files: [InputList.File], _ plan: CalibrationPlan, _ results: [Result<CalibratedFile.Summary, any Error>]
    ) throws {
        var report = Report()
        for (index, result) in results.enumerated() {
            var file = Report.File(file: files[index].name)
            switch result {
            case .success(let summary):
                file.output = plan.outputs[index].path
                (file.images, file.pixels) = (summary.images, summary.pixels)
                (file.withoutValue, file.cosmicRays) = (summary.masked, summary.rays)
                report.done += 1
            case .failure(let error):
                let reason = error is CancellationError ? "stopped" : "\(error)"
                file.error = reason
                report.failed += 1
                let words = reason.contains(files[index].path) ? reason : "\(files[index].name): \(reason)"
                options.log.write(.error, StyledText(words + "; this frame was not written"))
            }
            report.files.append(file)
        }
        if options.common.json {
            try StandardOutput.write(JSONOutput.document(report))
        } else {
            let count = HumanFormat.count(results.count, "frame")
            let failed = report.failed == 0 ? "" : ", \(report.failed) failed"
            options.log.conclude("\(options.output): \(report.done) of \(count) calibrated\(failed)")
        }
    }

    private struct Report: Encodable {
        var v = 1
        var files: [File] = []
        var done = 0
        var failed = 0

        struct File: Encodable {
            var file: String
            var output: String?
            var images: Int?
            var pixels: Int?
            var withoutValue: Int?
            var cosmicRays: Int?
            var error: String?
        }
    }
}
