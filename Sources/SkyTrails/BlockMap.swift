internal import SkyExtraction

/// A coarse image in units of the noise of its blocks, in which bright sources count little: values are cut off, and the
/// mean of the surroundings is subtracted.
struct BlockMap {
    let width: Int
    let height: Int
    /// Side of a block in pixels.
    let block: Int
    /// Values; 0 where a block has no sample.
    let values: [Float]
    /// Brightness per pixel in units of the noise, not cut off.
    let brightness: [Float]
    /// 1 for a block with samples, 0 for one without.
    let valid: [Float]
    /// Standard deviation of the values.
    let deviation: Float

    /// Value at which a block is cut off, in units of its noise.
    private static let ceiling: Float = 5
    /// Half of the side of the surroundings, in blocks.
    private static let reach = 8
    /// Values of which the median is taken.
    private static let sampleCount = 4000

    init(_ image: CoarseImage) {
        (width, height, block) = (image.columns, image.rows, image.block)
        let area = Float(block * block)
        valid = image.sums.map { $0 == 0 ? 0 : 1 }
        brightness = image.sums.map { Float($0) / CoarseImage.unitsPerNoise / area }
        let (median, noise) = Self.level(brightness, valid)
        let cut = zip(brightness, valid).map { value, valid in
            valid * min(max((value - median) / noise, -Self.ceiling), Self.ceiling)
        }
        let (sums, counts) = (Self.surroundings(cut, width, height), Self.surroundings(valid, width, height))
        var values = [Float](repeating: 0, count: cut.count)
        var squares = 0.0
        var count = 0.0
        for place in values.indices where valid[place] > 0 {
            values[place] = cut[place] - sums[place] / max(counts[place], 1)
            squares += Double(values[place]) * Double(values[place])
            count += 1
        }
        self.values = values
        deviation = Float((squares / max(count, 1)).squareRoot())
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
        func running(_ values: [Float], _ count: Int, _ step: Int, from first: Int, into sums: inout [Float]) {
            var sum = 0.0
            for place in 0..<min(reach, count) { sum += Double(values[first + place * step]) }
            for place in 0..<count {
                if place + reach < count { sum += Double(values[first + (place + reach) * step]) }
                if place > reach { sum -= Double(values[first + (place - reach - 1) * step]) }
                sums[first + place * step] = Float(sum)
            }
        }
        var (rows, squares) = (values, values)
        for row in 0..<height { running(values, width, 1, from: row * width, into: &rows) }
        for column in 0..<width { running(rows, height, width, from: column, into: &squares) }
        return squares
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
