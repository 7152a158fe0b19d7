package import SkyFITS

extension PixelView {
    /// Noise of a pixel without weight; SEP's own value for a masked pixel.
    private static var noiseWithoutWeight: Float { 1e30 }

    /// Mean relative variance of each mesh's unmasked pixels; 0 for a mesh without any.
    ///
    /// Each mesh is summed row by row in double precision, so that the result depends on the mesh alone.
    /// - Throws: ``ScanSetupError`` without weights.
    package func meanVariances(
        width: Int, height: Int, of map: ScanParameters.WeightMap = .weight
    ) throws(ScanSetupError) -> [Double] {
        guard let weights else { throw ScanSetupError("the noise comes from weights, but no weight map was given") }
        let columns = (rect.width + width - 1) / width
        let rows = (rect.height + height - 1) / height
        var sums = [Double](repeating: 0, count: columns * rows)
        var counts = [Int](repeating: 0, count: columns * rows)
        for row in 0..<rect.height {
            for column in 0..<rect.width where !isMasked(row * stride + column) {
                let mesh = row / height * columns + column / width
                sums[mesh] += map.variance(weights[row * stride + column])
                counts[mesh] += 1
            }
        }
        return zip(sums, counts).map { $1 == 0 ? 0 : $0 / Double($1) }
    }

    /// Writes each pixel's noise, the square root of `scale` times its relative variance, row by row.
    /// - Throws: ``ScanSetupError`` without weights.
    package func writeNoise(
        to output: UnsafeMutablePointer<Float>, scale: Double, of map: ScanParameters.WeightMap = .weight
    ) throws(ScanSetupError) {
        guard let weights else { throw ScanSetupError("the noise comes from weights, but no weight map was given") }
        for row in 0..<rect.height {
            for column in 0..<rect.width {
                let weight = weights[row * stride + column]
                guard weight > 0 && weight.isFinite else {
                    output[row * rect.width + column] = Self.noiseWithoutWeight
                    continue
                }
                let variance = map == .weight ? scale / Double(weight) : scale * map.variance(weight)
                output[row * rect.width + column] = Float(variance.squareRoot())
            }
        }
    }
}
