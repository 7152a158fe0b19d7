import CommandLineKit
import Console
import Foundation
import ScanDashboard
import SkyScan

/// The live page of a scan and its server.
struct LivePage: Sendable {
    let source: ScanDashboardSource
    let server: DashboardServer
}

extension ScanCommand {
    /// Serves the live page, if `--dashboard` is given. Its link contains the token and must not be logged or reported.
    func openDashboard(
        _ image: ImageSummary, _ recorder: ScanRecorder, _ display: ProgressDisplay
    ) throws(CommandError) -> LivePage? {
        guard let address = options.dashboard else { return nil }
        let source = ScanDashboardSource(pageFacts(image, recorder), recorder)
        let server = try DashboardOption.serve(source, at: address) {
            display.message(DashboardOption.level(options.common), StyledText($0))
        }
        return LivePage(source: source, server: server)
    }
}
