internal import ScanCluster
internal import SkyExtraction
internal import SkyMeasurement

/// Photometry at given positions.
struct ForcedTask: WindowTask {
    static let scanner = "sky.forced/2"

    let id: Int
    let scan: ForcedScan
    let window: WindowPixels

    /// In pixels, weighted by the cost relative to extraction.
    var cost: Double { Double(window.rect.area) / 4 }

    func scan(_ context: ScanContext) throws -> ForcedTable {
        try window.withView(for: context, scan.scan)
    }

    func validate(_ output: ForcedTable) throws { try scan.validate(output) }
}
