internal import ScanCluster
internal import SkyImage

/// Pass 1 over one band: the raw background of its meshes.
struct MeshTask: WindowTask {
    static let scanner = "sky.mesh/3"

    /// How the image is cut.
    let plan: BandPlan
    /// Index of the band.
    let id: Int
    /// Mesh size.
    let parameters: ScanParameters
    /// The band's window: more than this pass needs, so that pass 2 finds it on the same node.
    let window: WindowPixels

    /// Pixels, by what they cost beside those of extraction.
    var cost: Double { Double(plan[id].core.area) / 4 }

    func scan(_ context: ScanContext) throws -> MeshStatistics {
        try plan.check(band: id, window: window.rect)
        return try window.withView(of: context.takeBulk()) { view in
            try MeshStatistics(measuring: view, band: plan[id], parameters: parameters)
        }
    }

    func validate(_ output: MeshStatistics) throws {
        try output.validate(for: plan[id], parameters: parameters)
    }
}
