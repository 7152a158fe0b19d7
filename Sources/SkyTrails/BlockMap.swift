internal import SkyExtraction

/// A plane of a coarse image in units of the noise of its blocks, in which bright sources count little: values are cut off,
/// and the mean of the surroundings is subtracted.
struct BlockMap {
    let width: Int
    let height: Int
    /// Side of a block in pixels.
    let block: Int
    /// Values; 0 where a block has too few pixels.
    let values: [Float]
    /// Brightness per pixel in units of the noise, not cut off.
    let brightness: [Float]
    /// 1 for a block with values, 0 for others.
    let valid: [Float]
    /// Standard deviation of the values.
    let deviation: Float

    /// Value at which a block is cut off, in units of the usual deviation of blocks.
    private static let ceiling: Float = 3
    /// Half of the side of the surroundings, in blocks.
    private static let reach = 5
    /// Values of which the median is taken.
    private static let sampleCount = 2000

    init(_ plane: CoarseImage.Plane, of image: CoarseImage) {
        (width, height, block) = (image.columns, image.rows, image.block)
        // Blocks at the edge of the image may be smaller than a quarter; they have no value.
        let least = Float(block * block) / 4
        var valid = [Float](repeating: 0, count: plane.sums.count)
        var (brightness, cut) = (valid, valid)
        for place in cut.indices where Float(plane.counts[place]) >= least {
            let count = Float(plane.counts[place])
            valid[place] = 1
            brightness[place] = Float(plane.sums[place]) / CoarseImage.unitsPerNoise / count
            // A mean of few pixels has a larger error.
            cut[place] = brightness[place] * count.squareRoot()
        }
        let (median, noise) = Self.level(cut, valid)
        for place in cut.indices {
            cut[place] = valid[place] * min(max((cut[place] - median) / noise, -Self.ceiling), Self.ceiling)
        }
        (self.valid, self.brightness) = (valid, brightness)
        let (sums, numbers) = (Self.surroundings(cut, width, height), Self.surroundings(valid, width, height))
        var values = cut
        for place in values.indices { values[place] -= valid[place] * sums[place] / max(numbers[place], 1) }
        self.values = values
        let squares = values.reduce(0.0) { $0 + Double($1) * Double($1) }
        deviation = Float((squares / max(valid.reduce(0.0) { $0 + Double($1) }, 1)).squareRoot())
    }

    /// Median, and the standard deviation of a normal distribution with the same median deviation.
    private static func level(_ values: [Float], _ valid: [Float]) -> (median: Float, noise: Float) {
        // Some thousand values tell both well enough.
        let step = max(1, values.count / sampleCount)
        let samples = stride(from: 0, to: values.count, by: step).filter { valid[$0] > 0 }.map { values[$0] }
        if samples.isEmpty { return (0, 1) }
        let median = samples.sorted()[samples.count / 2]
        let deviations = samples.map { ($0 - median).magnitude }.sorted()
        return (median, max(1.4826 * deviations[samples.count / 2], .leastNormalMagnitude))
    }

    /// The sum over the square around each block.
    private static func surroundings(_ values: [Float], _ width: Int, _ height: Int) -> [Float] {
        // The sums of columns, between zeros, so that each block has all its neighbours.
        var line = [Float](repeating: 0, count: width + 2 * reach)
        var squares = [Float](repeating: 0, count: values.count)
        values.withUnsafeBufferPointer { values in
            squares.withUnsafeMutableBufferPointer { squares in
                line.withUnsafeMutableBufferPointer { line in
                    // The values and their sums have `height` rows of `width`.
                    guard let values = values.baseAddress, let squares = squares.baseAddress,
                        let line = line.baseAddress
                    else { return }
                    for row in 0..<min(reach, height) { add(values + row * width, to: line + reach, width) }
                    for row in 0..<height {
                        if row + reach < height { add(values + (row + reach) * width, to: line + reach, width) }
                        if row > reach { subtract(values + (row - reach - 1) * width, from: line + reach, width) }
                        // Loops along the row, rather than a running sum, become vector instructions.
                        for offset in 0...2 * reach { add(line + offset, to: squares + row * width, width) }
                    }
                }
            }
        }
        return squares
    }

    private static func add(_ values: UnsafePointer<Float>, to sums: UnsafeMutablePointer<Float>, _ count: Int) {
        for place in 0..<count { sums[place] += values[place] }
    }

    private static func subtract(_ values: UnsafePointer<Float>, from sums: UnsafeMutablePointer<Float>, _ count: Int) {
        for place in 0..<count { sums[place] -= values[place] }
    }

    /// The value between blocks by linear interpolation; nil outside of the image.
    func sample(_ values: [Float], _ x: Double, _ y: Double) -> Double? {
        guard x > -0.5, y > -0.5, x < Double(width) - 0.5, y < Double(height) - 0.5, width > 1, height > 1 else {
            return nil
        }
        let (px, py) = (min(max(x, 0), Double(width - 1)), min(max(y, 0), Double(height - 1)))
        let (column, row) = (min(Int(px), width - 2), min(Int(py), height - 2))
        let (fx, fy) = (px - Double(column), py - Double(row))
        let place = row * width + column
        let upper = Double(values[place]) * (1 - fx) + Double(values[place + 1]) * fx
        let lower = Double(values[place + width]) * (1 - fx) + Double(values[place + width + 1]) * fx
        return upper * (1 - fy) + lower * fy
    }
}
