package import ScanCluster
package import SkyExtraction

/// A second extraction of sources cut by the bands' windows.
package struct CutIslandTask: WindowTask {
    package static let scanner = "sky.island/6"

    package let scan: CutIslandScan
    package let window: WindowPixels

    /// Number of the window within the job.
    package var id: Int { scan.rescan.id }
    package var cost: Double { Double(window.rect.area) }

    package func scan(_ context: ScanContext) throws -> WindowResult {
        try window.withView(for: context, scan.scan)
    }

    package func validate(_ output: WindowResult) throws { try output.validate(in: scan.plan.image) }

    // The identity is part of the scan, so only these two are coded.
    private enum CodingKeys: String, CodingKey { case scan, window }
}
