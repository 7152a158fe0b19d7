internal import ScanCluster
internal import SkyExtraction

/// A second extraction of sources cut by the bands' windows.
struct CutIslandTask: WindowTask {
    static let scanner = "sky.island/6"

    let scan: CutIslandScan
    let window: WindowPixels

    /// Number of the window within the job.
    var id: Int { scan.rescan.id }
    var cost: Double { Double(window.rect.area) }

    func scan(_ context: ScanContext) throws -> WindowResult {
        try window.withView(for: context, scan.scan)
    }

    func validate(_ output: WindowResult) throws { try output.validate(in: scan.plan.image) }

    // The identity is part of the scan, so only these two are coded.
    private enum CodingKeys: String, CodingKey { case scan, window }
}
