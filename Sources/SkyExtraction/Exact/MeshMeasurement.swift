package import SkyFITS

/// Pass 1 over one band: the raw background of its meshes.
package struct MeshMeasurement: BandStep {
    package static let typeName = "sky.mesh/8"
    /// Measured on images of a million pixels and more: a third of the time of a scan.
    package static let costPerPixel = 0.5

    package var plan: BandPlan
    package var band: Int
    /// The parameters; the mesh size matters here.
    package var parameters: ScanParameters

    package init(plan: BandPlan, band: Int, parameters: ScanParameters) {
        (self.plan, self.band, self.parameters) = (plan, band, parameters)
    }

    /// The window is larger than this pass needs, so that pass 2 finds it on the same node.
    package var cost: Double { Double(sector.area) * Self.costPerPixel }

    package func scan(_ view: PixelView) throws -> MeshStatistics {
        try validate()
        return try MeshStatistics(measuring: view, band: plan[band], parameters: parameters)
    }

    package func validate(_ output: MeshStatistics) throws(ScanSetupError) {
        let expected = missing
        guard output.firstRow == expected.firstRow, output.columns == expected.columns,
            output.back.count == expected.back.count, output.sigma.count == expected.sigma.count,
            output.variance.count == expected.variance.count, (0...sector.area).contains(output.maskedPixels)
        else { throw ScanSetupError("the response does not fit band \(band)") }
    }

    /// Bad meshes, which are filled from their neighbours.
    package var missing: MeshStatistics {
        let columns = (sector.width + parameters.meshWidth - 1) / parameters.meshWidth
        let rows = (sector.height + parameters.meshHeight - 1) / parameters.meshHeight
        let meshes = [Float](repeating: MeshStatistics.bad, count: columns * rows)
        return MeshStatistics(
            firstRow: sector.y.lowerBound / parameters.meshHeight, columns: columns, back: meshes, sigma: meshes,
            variance: parameters.noise == .weights ? meshes.map { _ in 0 } : [], maskedPixels: 0)
    }
}
