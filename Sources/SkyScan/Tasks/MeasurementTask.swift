internal import ScanCluster
internal import SkyMeasurement

/// Measurement of sources on request, once all sources of the image are known.
struct MeasurementTask: WindowTask {
    static let scanner = "sky.measure/3"

    /// Number within its round.
    let id: Int
    let scan: MeasurementScan
    let window: WindowPixels

    /// In pixels, weighted by the cost relative to extraction.
    var cost: Double { Double(window.rect.area) / 2 }

    func scan(_ context: ScanContext) throws -> MeasurementResult {
        try window.withView(for: context, scan.scan)
    }

    func validate(_ output: MeasurementResult) throws {
        guard let request = scan.parameters.measurements else { return }
        try output.validate(for: scan.window, request, in: scan.image)
    }
}
