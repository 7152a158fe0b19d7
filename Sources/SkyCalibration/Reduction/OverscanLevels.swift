/// The levels of an overscan: of each row if the section is at least as high as wide, else of each column.
package struct OverscanLevels: Sendable {
    package enum Method: String, CaseIterable, Sendable { case median, mean }

    /// Levels by row or by column of the whole image; nil outside of the section.
    package let levels: [Double?]
    package let isByRow: Bool

    /// The levels of a section of an image.
    /// - Parameters:
    ///   - section: within the image.
    ///   - pixels: of the image in raster order; NaN is left out.
    ///   - width: pixels per row of the image.
    ///   - method: how the samples of a row or a column become a level.
    package init(_ section: PixelSection, _ pixels: [Float], width: Int, _ method: Method) {
        isByRow = section.height >= section.width
        let (lines, across) = isByRow ? (section.y, section.x) : (section.x, section.y)
        var levels = [Double?](repeating: nil, count: lines.upperBound)
        var samples: [Double] = []
        for line in lines {
            samples.removeAll(keepingCapacity: true)
            for place in across {
                let value = isByRow ? pixels[line * width + place] : pixels[place * width + line]
                if value.isFinite { samples.append(Double(value)) }
            }
            levels[line] = Self.level(&samples, method)
        }
        self.levels = levels
    }

    private static func level(_ samples: inout [Double], _ method: Method) -> Double? {
        if samples.isEmpty { return nil }
        if method == .mean { return samples.reduce(0, +) / Double(samples.count) }
        samples.sort()
        return (samples[(samples.count - 1) / 2] + samples[samples.count / 2]) / 2
    }

    /// The level of a row or a column.
    package subscript(line: Int) -> Double? { levels.indices.contains(line) ? levels[line] : nil }
}
