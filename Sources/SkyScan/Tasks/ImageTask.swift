internal import ScanCluster
internal import SkyExtraction

/// Both passes over an image that is cut into no bands: one task, whose pixels travel once.
struct ImageTask: WindowTask {
    static let scanner = "sky.image/4"

    let scan: ImageScan
    let window: WindowPixels

    var id: Int { 0 }
    /// In pixels: that of a ``MeshTask`` and a ``BandTask``.
    var cost: Double { Double(window.rect.area) * Self.costPerPixel }

    static let costPerPixel = 1 + MeshTask.costPerPixel

    func scan(_ context: ScanContext) throws -> ImageResult {
        try scan.plan.check(band: 0, window: window.rect)
        return try window.withView(for: context, scan.scan)
    }

    func validate(_ output: ImageResult) throws {
        try output.statistics.validate(for: scan.plan[0], parameters: scan.parameters)
        try output.window.validate(in: scan.plan.image)
    }

    // The identity is always 0, so only these two are coded.
    private enum CodingKeys: String, CodingKey { case scan, window }
}
