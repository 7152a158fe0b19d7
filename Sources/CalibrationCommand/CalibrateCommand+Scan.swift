import CommandLineKit
import Console
import ImageScanning

extension CalibrateCommand {
    /// The scan that follows a calibration: the words after `--` are those of `skyfarm scan` without its images.
    struct NextScan: Sendable {
        private let words: [String]
        private let layers: Arguments
        /// Its page and its picture.
        let pages: [String]

        /// Nil without the word `--` after the frames.
        /// - Throws: `UsageError` if the words are not options of a scan.
        init?(_ arguments: Arguments) throws(UsageError) {
            guard let separator = arguments.separator, separator > 0 else { return nil }
            words = Array(arguments.positionals[separator...])
            layers = arguments
            // The frames stand for the images, which are not known yet.
            let scan = try Self.arguments(words, images: Array(arguments.positionals[..<separator]), layers)
            guard scan.separator == 0 else {
                throw UsageError(
                    "calibrate: after -- come options of skyfarm scan without images, as in -- -o catalogues/")
            }
            pages = try ScanCommand(scan).options.page.paths
        }

        private static func arguments(
            _ words: [String], images: [String], _ layers: Arguments
        ) throws(UsageError) -> Arguments {
            // A name may begin with a dash.
            var arguments = try ScanCommand.arguments(words + ["--"] + images)
            (arguments.environment, arguments.file) = (layers.environment, layers.file)
            return arguments
        }

        /// Scans calibrated frames.
        func run(_ images: [String]) async throws -> ExitCode {
            try await ScanCommand(Self.arguments(words, images: images, layers)).run()
        }
    }

    /// Scans the frames of a report that were calibrated, if that is asked for.
    /// - Returns: the exit code of both.
    func scan(_ report: CalibrationReport) async throws -> ExitCode {
        let code = report.exitCode(Self.spec.name)
        let images = report.rows.compactMap { row in
            if case .success = row.result { row.output } else { nil }
        }
        guard let next = options.next, !images.isEmpty else { return code }
        let end = try await next.run(images)
        return end == .complete ? code : end
    }
}
