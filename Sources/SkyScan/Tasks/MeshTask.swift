internal import ScanCluster
internal import SkyExtraction

/// Pass 1 over one band: the raw background of its meshes.
struct MeshTask: WindowTask {
    static let scanner = "sky.mesh/6"

    let plan: BandPlan
    /// Index of the band.
    let id: Int
    /// The parameters; the mesh size matters here.
    let parameters: ScanParameters
    /// The band's window: larger than this pass needs, so that pass 2 finds it cached on the same node.
    let window: WindowPixels

    /// In pixels, weighted by the cost relative to extraction.
    var cost: Double { Double(plan[id].core.area) * Self.costPerPixel }

    /// Measured on images of a million pixels and more: a third of the time of a scan.
    static let costPerPixel = 0.5

    func scan(_ context: ScanContext) throws -> MeshStatistics {
        try plan.check(band: id, window: window.rect)
        return try window.withView(for: context) { view in
            try MeshStatistics(measuring: view, band: plan[id], parameters: parameters)
        }
    }

    func validate(_ output: MeshStatistics) throws {
        try output.validate(for: plan[id], parameters: parameters)
    }
}
