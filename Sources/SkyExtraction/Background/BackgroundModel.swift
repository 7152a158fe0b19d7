import SkyFITS

/// Background level and noise of a whole image as splines over meshes.
package struct BackgroundModel: Equatable, Sendable {
    package let width: Int
    package let height: Int
    package let meshWidth: Int
    package let meshHeight: Int
    package let level: SmoothedMesh
    package let noise: SmoothedMesh
    /// Variance of a pixel of weight 1, if the noise comes from weights.
    package let varianceScale: Double?
    /// Median noise of the image.
    package let globalNoise: Float
    /// Number of masked pixels of the image.
    package let maskedPixels: Int
    private let usesNoiseMap: Bool
    private let weightMap: ScanParameters.WeightMap

    init(
        plan: BandPlan, parameters: ScanParameters, level: SmoothedMesh, noise: SmoothedMesh, varianceScale: Double?,
        maskedPixels: Int
    ) {
        width = plan.width
        height = plan.height
        meshWidth = parameters.meshWidth
        meshHeight = parameters.meshHeight
        usesNoiseMap = parameters.noise == .map
        weightMap = parameters.weightMap
        self.level = level
        (self.noise, globalNoise) = (noise, noise.positiveMedian)
        self.varianceScale = varianceScale
        self.maskedPixels = maskedPixels
    }

    /// Median background level of the image.
    package var globalLevel: Float { level.median }

    /// The part of the model that a scan of the image's rows `rows` needs: the splines of a row need two rows of
    /// meshes.
    package func slice(rows: Range<Int>) -> BackgroundSlice {
        slice(of: level, noise: usesNoiseMap ? noise : nil, rows: rows)
    }

    func slice(of level: SmoothedMesh, noise: SmoothedMesh?, rows: Range<Int>) -> BackgroundSlice {
        let meshRows = level.values.count / level.columns
        let first = max(0, rows.lowerBound / meshHeight - 1)
        let last = min(meshRows, (rows.upperBound - 1) / meshHeight + 2)
        let range = first * level.columns..<last * level.columns
        func cut(_ mesh: SmoothedMesh) -> BackgroundSlice.Rows {
            BackgroundSlice.Rows(values: Array(mesh.values[range]), derivatives: Array(mesh.derivatives[range]))
        }
        return BackgroundSlice(
            width: width, height: height, meshWidth: meshWidth, meshHeight: meshHeight, columns: level.columns,
            rows: meshRows, firstRow: first, level: cut(level), noise: noise.map(cut), varianceScale: varianceScale,
            weightMap: weightMap,
            globalNoise: globalNoise, hasMask: maskedPixels > 0)
    }
}
