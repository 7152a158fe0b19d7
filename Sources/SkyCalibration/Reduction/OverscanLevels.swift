internal import SkyFITS

/// The levels of an overscan: of each of its rows, or of each of its columns.
package struct OverscanLevels: Sendable {
    package enum Method: String, CaseIterable, Codable, Sendable { case median, mean }

    /// The first row or column.
    private let first: Int
    private let levels: [Double?]

    /// The levels of a section of an image; NaN is left out.
    /// - Parameters:
    ///   - section: within the window of `raw`.
    ///   - raw: samples of the image.
    ///   - isByRow: whether rows have levels.
    ///   - method: how the samples of a row or a column become a level.
    init(_ section: PixelRect, _ raw: RawWindow, isByRow: Bool, _ method: Method) {
        let (lines, across) = isByRow ? (section.y, section.x) : (section.x, section.y)
        let width = raw.rect.width
        let origin = raw.rect.y.lowerBound * width + raw.rect.x.lowerBound
        var samples: [Double] = []
        first = lines.lowerBound
        levels = lines.map { line in
            samples.removeAll(keepingCapacity: true)
            for place in across {
                let value = raw.samples[(isByRow ? line * width + place : place * width + line) - origin]
                if value.isFinite { samples.append(Double(value)) }
            }
            return Self.level(&samples, method)
        }
    }

    /// The level of finite samples, which are sorted; nil if there is none.
    static func level(_ samples: inout [Double], _ method: Method) -> Double? {
        if samples.isEmpty { return nil }
        if method == .mean { return samples.reduce(0, +) / Double(samples.count) }
        samples.sort()
        return (samples[(samples.count - 1) / 2] + samples[samples.count / 2]) / 2
    }

    /// The level of a row or a column; nil without one.
    subscript(line: Int) -> Double? { levels.indices.contains(line - first) ? levels[line - first] : nil }
}

extension PixelSection {
    /// Whether an overscan has levels for rows of the image `trim`, beside which it lies, and not for columns.
    ///
    /// It lies beside what it covers more of; if that is equal, it is at least as high as wide.
    package func isBesideRows(of trim: PixelSection) -> Bool {
        let rows = y.clamped(to: trim.y).count * trim.width
        let columns = x.clamped(to: trim.x).count * trim.height
        return rows == columns ? height >= width : rows > columns
    }
}
