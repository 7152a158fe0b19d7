/// Background level and noise of a whole image as splines over meshes.
package struct BackgroundModel: Equatable, Sendable {
    /// Columns of the image.
    package let width: Int
    /// Rows of the image.
    package let height: Int
    /// Columns of a mesh.
    package let meshWidth: Int
    /// Rows of a mesh.
    package let meshHeight: Int
    /// Splines of the level.
    package let level: SmoothedMesh
    /// Splines of the noise.
    package let noise: SmoothedMesh
    /// Variance of a pixel of weight 1, where the noise comes from weights.
    package let varianceScale: Double?
    /// Pixels of the image that are masked.
    package let maskedPixels: Int
    private let usesNoiseMap: Bool

    init(
        plan: BandPlan, parameters: ScanParameters, level: SmoothedMesh, noise: SmoothedMesh, varianceScale: Double?,
        maskedPixels: Int
    ) {
        width = plan.width
        height = plan.height
        meshWidth = parameters.meshWidth
        meshHeight = parameters.meshHeight
        usesNoiseMap = parameters.noise == .map
        self.level = level
        self.noise = noise
        self.varianceScale = varianceScale
        self.maskedPixels = maskedPixels
    }

    /// Median background level of the image.
    package var globalLevel: Float { level.median }
    /// Median noise of the image.
    package var globalNoise: Float { noise.positiveMedian }

    /// What is needed of the model to scan the image's rows `rows`: the splines of a row need two rows of meshes.
    package func slice(rows: Range<Int>) -> BackgroundSlice {
        let meshRows = level.values.count / level.columns
        let first = max(0, rows.lowerBound / meshHeight - 1)
        let last = min(meshRows, (rows.upperBound - 1) / meshHeight + 2)
        let range = first * level.columns..<last * level.columns
        func cut(_ mesh: SmoothedMesh) -> BackgroundSlice.Rows {
            BackgroundSlice.Rows(values: Array(mesh.values[range]), derivatives: Array(mesh.derivatives[range]))
        }
        return BackgroundSlice(
            width: width, height: height, meshWidth: meshWidth, meshHeight: meshHeight, columns: level.columns,
            rows: meshRows, firstRow: first, level: cut(level), noise: usesNoiseMap ? cut(noise) : nil,
            varianceScale: varianceScale,
            globalNoise: globalNoise, hasMask: maskedPixels > 0)
    }
}
