internal import ScanCluster
internal import SkyExtraction

/// Photometry of sources whose apertures reach beyond the window they were found in.
struct ApertureTask: WindowTask {
    static let scanner = "sky.aperture/5"

    /// Number within its round.
    let id: Int
    let scan: ApertureScan
    let window: WindowPixels

    /// In pixels, weighted by the cost relative to extraction.
    var cost: Double { Double(window.rect.area) / 4 }

    func scan(_ context: ScanContext) throws -> ApertureResult {
        try window.withView(for: context, scan.scan)
    }

    func validate(_ output: ApertureResult) throws { try output.validate(for: scan.window, in: scan.image) }
}
