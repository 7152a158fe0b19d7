import CommandLineKit
import Foundation
import ScanDashboard
import SkyImage
import SkyReport
import SkyScan

/// The live page of a scan and its server.
struct LivePage: Sendable {
    let source: ScanDashboardSource
    let server: DashboardServer
}

extension ScanCommand {
    /// Serves the live page, if one is wanted. The link holds the token: it is no line for a log or a report.
    func openDashboard(
        _ image: ImageSummary, _ recorder: ScanRecorder, _ display: ProgressDisplay
    ) throws(CommandError) -> LivePage? {
        guard let address = options.dashboard else { return nil }
        let scan = LiveUpdate.Scan(
            image: image.name, width: image.width, height: image.height, software: Skyfarm.software,
            began: Date().formatted(.iso8601), command: options.page.command)
        let source = ScanDashboardSource(scan, recorder)
        let server = try DashboardOption.serve(source, at: address) {
            display.message(DashboardOption.level(options.common), StyledText($0))
        }
        return LivePage(source: source, server: server)
    }

    /// What the live page says when the catalogue is written, with the sources of `table` for those who watch.
    func end(_ recorder: ScanRecorder, _ result: SkyScanResult, _ table: CatalogueTable?, seconds: Double) {
        let found = ScanReport.found(
            sources: result.sources.count, missing: result.missing.count,
            sectors: result.tally.tasks + result.missing.count)
        let files = (options.outputs + options.page.paths).map { $0 == "-" ? "standard output" : $0 }
        recorder.end(
            result.missing.isEmpty ? .complete : .partial,
            "\(found) in \(HumanFormat.duration(seconds: seconds)), written to \(files.joined(separator: ", "))",
            table: table)
    }
}
