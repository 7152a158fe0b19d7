package import ScanCluster
package import SkyExtraction

/// Photometry of sources whose apertures reach beyond the window they were found in.
package struct ApertureTask: WindowTask {
    package static let scanner = "sky.aperture/5"

    /// Number within its round.
    package let id: Int
    package let scan: ApertureScan
    package let window: WindowPixels

    /// In pixels, weighted by the cost relative to extraction.
    package var cost: Double { Double(window.rect.area) / 4 }

    package func scan(_ context: ScanContext) throws -> ApertureResult {
        try window.withView(for: context, scan.scan)
    }

    package func validate(_ output: ApertureResult) throws { try output.validate(for: scan.window, in: scan.image) }
}
