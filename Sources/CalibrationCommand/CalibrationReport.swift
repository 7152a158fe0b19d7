import CommandLineKit
import Console
import Foundation
import ScanBasics
import SkyCalibration

/// The frames that were calibrated, and those that failed.
struct CalibrationReport {
    /// A frame, and where it went.
    struct Row {
        /// Its name as the user wrote it, and its path.
        var name: String
        var path: String
        var output: String?
        var result: Result<CalibratedFile.Summary, any Error>
    }

    var rows: [Row]
    /// The masters and their frames; nil unless the frames were sorted by their headers.
    var night: NightReport?
    /// Number of bands that each system has searched for cosmic rays; nil without a search.
    var systems: [String: Int]?

    /// The exit code of all.
    func exitCode(_ command: String) -> ExitCode {
        let errors = rows.compactMap { row -> (any Error)? in
            if case .failure(let error) = row.result { error } else { nil }
        }
        guard let first = errors.first else { return .complete }
        return errors.count < rows.count ? .partialCatalogue : CommandError(first, in: command).code
    }

    /// The frames as the page shows them.
    var frames: [FrameRecord.Frame] {
        rows.map { row in
            switch row.result {
            case .success: FrameRecord.Frame(name: row.name, output: row.output)
            case .failure(let error):
                FrameRecord.Frame(name: row.name, failure: Self.words(error).replacing("\(row.name): ", with: ""))
            }
        }
    }

    private static func words(_ error: any Error) -> String { error is CancellationError ? "stopped" : "\(error)" }

    /// Writes an error for each frame that failed, and the result.
    func write(_ output: String, _ common: CommonOptions, _ log: Log) throws {
        var document = Document(
            masters: night?.masters, unused: night?.unused, others: night?.others, missing: night?.missing)
        document.systems = systems?.sorted { $0.key < $1.key }.map { Document.System(name: $0.key, tasks: $0.value) }
        for row in rows {
            var file = Document.File(file: row.name)
            switch row.result {
            case .success(let summary):
                file.output = row.output
                (file.images, file.pixels) = (summary.images, summary.pixels)
                (file.withoutValue, file.cosmicRays) = (summary.masked, summary.rays)
                document.done += 1
            case .failure(let error):
                let reason = Self.words(error)
                file.error = reason
                document.failed += 1
                let words = reason.contains(row.path) ? reason : "\(row.name): \(reason)"
                log.write(.error, StyledText(words + "; this frame was not written"))
            }
            document.files.append(file)
        }
        if common.json {
            try StandardOutput.write(JSONOutput.document(document))
        } else {
            let count = HumanFormat.count(rows.count, "frame")
            let failed = document.failed == 0 ? "" : ", \(document.failed) failed"
            log.conclude("\(output): \(document.done) of \(count) calibrated\(failed)")
        }
    }

    private struct Document: Encodable {
        var v = 1
        var files: [File] = []
        var done = 0
        var failed = 0
        var masters: [NightReport.Master]?
        var unused: [String]?
        var others: [String]?
        var missing: [FrameKind]?
        var systems: [System]?

        struct System: Encodable {
            var name: String
            var tasks: Int
        }

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
