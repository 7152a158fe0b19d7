internal import CSkyKernel
package import SkyFITS

/// The mesh rows of a background that a window needs; a task carries them to its node.
package struct BackgroundSlice: Codable, Equatable, Sendable {
    package var width: Int
    package var height: Int
    package var meshWidth: Int
    package var meshHeight: Int
    package var columns: Int
    package var rows: Int
    package var firstRow: Int
    package var level: Rows
    package var noise: Rows?
    /// Variance of a pixel of weight 1, if the noise comes from weights.
    package var varianceScale: Double?
    /// The meaning of the samples of the weight map.
    package var weightMap = ScanParameters.WeightMap.weight
    /// Median noise of the whole image.
    package var globalNoise: Float
    /// True when any pixel of the whole image is masked: SEP then treats every aperture as possibly masked.
    package var hasMask: Bool

    package struct Rows: Codable, Equatable, Sendable {
        package var values: [Float]
        var derivatives: [Float]
    }

    /// Refuses a slice whose parts are inconsistent, which decoding alone does not detect.
    /// - Throws: ``ScanSetupError``.
    package func validate() throws(ScanSetupError) {
        let sides = [width, height, meshWidth, meshHeight, columns, rows]
        guard sides.allSatisfy({ (1...Int(Int32.max)).contains($0) }), columns * rows < Int(Int32.max),
            columns == (width + meshWidth - 1) / meshWidth, rows == (height + meshHeight - 1) / meshHeight,
            (0..<rows).contains(firstRow)
        else { throw ScanSetupError("the background's mesh does not fit the image") }
        guard globalNoise > 0, globalNoise.isFinite else {
            throw ScanSetupError("the noise of the image must be positive, not \(globalNoise)")
        }
        if let varianceScale, !(varianceScale > 0 && varianceScale.isFinite) {
            throw ScanSetupError("the variance of weight 1 must be positive, not \(varianceScale)")
        }
        for part in [level, noise ?? level] {
            guard part.values.count == part.derivatives.count, part.values.count <= (rows - firstRow) * columns else {
                throw ScanSetupError("the background's mesh rows have the wrong length")
            }
        }
    }

    /// Refuses a slice that belongs to another image than that of `plan`.
    /// - Throws: ``ScanSetupError``.
    package func validate(for plan: BandPlan) throws(ScanSetupError) {
        guard width == plan.width, height == plan.height else {
            throw ScanSetupError("the background belongs to another image than the plan of bands")
        }
    }

    /// Refuses a slice without the noise that the parameters require.
    /// - Throws: ``ScanSetupError``.
    package func validate(for parameters: ScanParameters) throws(ScanSetupError) {
        guard (noise != nil) == (parameters.noise == .map), (varianceScale != nil) == (parameters.noise == .weights)
        else { throw ScanSetupError("the background's noise does not fit the parameters") }
    }

    /// Calls `body` with one of the slice's parts as the kernel's spline.
    func withSpline<Result>(_ part: Rows, _ body: (inout skyfarm_spline) throws -> Result) rethrows -> Result {
        try part.values.withUnsafeBufferPointer { values in
            try part.derivatives.withUnsafeBufferPointer { derivatives in
                var spline = skyfarm_spline(
                    values: values.baseAddress, derivatives: derivatives.baseAddress, columns: Int32(columns),
                    rows: Int32(rows), first_row: Int32(firstRow), row_count: Int32(part.values.count / columns),
                    mesh_height: Int32(meshHeight))
                return try body(&spline)
            }
        }
    }
}
