package import ScanCluster
package import SkyExtraction

/// Pass 1 over one band: the raw background of its meshes.
package struct MeshTask: WindowTask {
    package static let scanner = "sky.mesh/6"

    package let plan: BandPlan
    /// Index of the band.
    package let id: Int
    /// The parameters; the mesh size matters here.
    package let parameters: ScanParameters
    /// The band's window: larger than this pass needs, so that pass 2 finds it cached on the same node.
    package let window: WindowPixels

    /// In pixels, weighted by the cost relative to extraction.
    package var cost: Double { Double(plan[id].core.area) * Self.costPerPixel }

    /// Measured on images of a million pixels and more: a third of the time of a scan.
    static let costPerPixel = 0.5

    package func scan(_ context: ScanContext) throws -> MeshStatistics {
        try plan.check(band: id, window: window.rect)
        return try window.withView(for: context) { view in
            try MeshStatistics(measuring: view, band: plan[id], parameters: parameters)
        }
    }

    package func validate(_ output: MeshStatistics) throws {
        try output.validate(for: plan[id], parameters: parameters)
    }
}
