extension PixelView {
    /// Noise of a pixel without weight; SEP's own value for a masked pixel.
    private static var noiseWithoutWeight: Float { 1e30 }

    /// Mean relative variance, 1 / weight, of each mesh's unmasked pixels; 0 for a mesh without any.
    ///
    /// Each mesh is summed row by row in double precision, so that the result depends on the mesh alone.
    /// - Throws: ``ScanSetupError`` without weights.
    package func meanVariances(width: Int, height: Int) throws(ScanSetupError) -> [Double] {
        guard let weights else { throw ScanSetupError("the noise comes from weights, but no weight map was given") }
        let columns = (rect.width + width - 1) / width
        let rows = (rect.height + height - 1) / height
        var sums = [Double](repeating: 0, count: columns * rows)
        var counts = [Int](repeating: 0, count: columns * rows)
        for row in 0..<rect.height {
            for column in 0..<rect.width where !isMasked(row * stride + column) {
                let mesh = row / height * columns + column / width
                sums[mesh] += 1 / Double(weights[row * stride + column])
                counts[mesh] += 1
            }
        }
        return zip(sums, counts).map { $1 == 0 ? 0 : $0 / Double($1) }
    }

    /// Writes each pixel's noise, √(scale / weight), row by row.
    /// - Throws: ``ScanSetupError`` without weights.
    package func writeNoise(to output: UnsafeMutablePointer<Float>, scale: Double) throws(ScanSetupError) {
        guard let weights else { throw ScanSetupError("the noise comes from weights, but no weight map was given") }
        for row in 0..<rect.height {
            for column in 0..<rect.width {
                let weight = weights[row * stride + column]
                output[row * rect.width + column] =
                    weight > 0 && weight.isFinite
                    ? Float((scale / Double(weight)).squareRoot()) : Self.noiseWithoutWeight
            }
        }
    }
}
