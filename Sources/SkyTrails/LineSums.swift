/// A line between two places of a map, in blocks.
struct BlockLine: Equatable {
    var x1: Double, y1: Double, x2: Double, y2: Double
    /// Sum along the line, in units of its error.
    var significance: Double

    var length: Double { ((x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1)).squareRoot() }

    /// The step of one block along the line.
    var step: (x: Double, y: Double) {
        let length = max(length, 1)
        return ((x2 - x1) / length, (y2 - y1) / length)
    }
}

/// Sums of a map along digital lines of all directions, by the fast discrete Radon transform: a line of a block of
/// columns is two lines of its halves (Götz and Druckmüller 1996, Brady 1998).
struct LineSums {
    private let map: BlockMap
    /// The least length of a line, in blocks.
    private let least: Double
    /// The least sum of a line, in units of its error.
    private let threshold: Float

    init(_ map: BlockMap, least: Double, threshold: Float) {
        (self.map, self.least, self.threshold) = (map, least, threshold)
    }

    /// Most lines of a quadrant that are kept.
    private static let limit = 1024

    /// The lines above the threshold, most significant first. Lines beside each other are all there.
    func lines() -> [BlockLine] {
        var lines: [BlockLine] = []
        for isSteep in [false, true] {
            for isFalling in [false, true] { lines += quadrant(isSteep: isSteep, isFalling: isFalling) }
        }
        return lines.sorted {
            ($1.significance, $0.x1, $0.y1, $0.x2, $0.y2) < ($0.significance, $1.x1, $1.y1, $1.x2, $1.y2)
        }
    }

    /// The lines whose slope is 0 to 1 once the map is transposed, if `isSteep`, and turned upside down, if `isFalling`.
    private func quadrant(isSteep: Bool, isFalling: Bool) -> [BlockLine] {
        let (width, height) = isSteep ? (map.height, map.width) : (map.width, map.height)
        var size = 1
        while size < width { size *= 2 }
        let frame = Frame(width: width, height: height, size: size, isSteep: isSteep, isFalling: isFalling)
        // Sums of lines by block of columns, rise of the line in the block, and row at which it begins. Row 0 of the map is
        // at `size`, so that there is room for lines that enter from below.
        var sums = [Float](repeating: 0, count: size * frame.rows)
        let (columnStep, rowStep) = isSteep ? (map.width, 1) : (1, map.width)
        map.values.withUnsafeBufferPointer { values in
            sums.withUnsafeMutableBufferPointer { sums in
                for column in 0..<width {
                    let (start, target) = (column * columnStep, column * frame.rows + size)
                    for row in 0..<height {
                        sums[target + row] = values[start + (isFalling ? height - 1 - row : row) * rowStep]
                    }
                }
            }
        }
        var lines: [BlockLine] = []
        var span = 1
        var others = sums
        while span < size {
            Self.join(sums, into: &others, span: span, frame)
            swap(&sums, &others)
            span *= 2
            if span >= size / 4 { lines += significant(sums, span: span, frame) }
        }
        return Array(lines.sorted { $0.significance > $1.significance }.prefix(Self.limit))
    }

    /// The shape of a quadrant.
    private struct Frame {
        let width: Int
        let height: Int
        /// The width, rounded up to a power of two.
        let size: Int
        let isSteep: Bool
        let isFalling: Bool

        var rows: Int { height + size }

        /// A place of the map.
        func place(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
            let row = isFalling ? Double(height - 1) - y : y
            return isSteep ? (row, x) : (x, row)
        }
    }

    /// Makes the sums of blocks of `2 * span` columns of those of `span` columns.
    private static func join(_ sums: [Float], into result: inout [Float], span: Int, _ frame: Frame) {
        let rows = frame.rows
        sums.withUnsafeBufferPointer { sums in
            result.withUnsafeMutableBufferPointer { result in
                // The buffers hold whole blocks: `size` columns of `rows`.
                guard let base = result.baseAddress, let source = sums.baseAddress else { return }
                for block in stride(from: 0, to: frame.size, by: 2 * span) where block < frame.width {
                    for rise in 0..<2 * span {
                        let shift = (rise + 1) / 2
                        let target = base + (block + rise) * rows
                        let first = source + (block + rise / 2) * rows
                        let second = source + (block + span + rise / 2) * rows + shift
                        // Lines that begin lower leave the block before they reach the map; the next blocks read their zeros.
                        let lowest = frame.size - rise
                        for row in max(0, frame.size - 4 * span)..<lowest { target[row] = 0 }
                        for row in lowest..<rows - shift { target[row] = first[row] + second[row] }
                        for row in rows - shift..<rows { target[row] = first[row] }
                    }
                }
            }
        }
    }

    private static func highest(_ values: UnsafePointer<Float>, count: Int) -> Float {
        var lanes = SIMD8<Float>.zero
        var place = 0
        while place + 8 <= count {
            let next = UnsafeRawPointer(values + place).loadUnaligned(as: SIMD8<Float>.self)
            lanes.replace(with: next, where: next .> lanes)
            place += 8
        }
        var highest = lanes.max()
        while place < count {
            highest = max(highest, values[place])
            place += 1
        }
        return highest
    }

    /// The lines above the threshold among the sums of blocks of `span` columns.
    private func significant(_ sums: [Float], span: Int, _ frame: Frame) -> [BlockLine] {
        var lines: [BlockLine] = []
        let lowest = threshold * map.deviation
        for block in stride(from: 0, to: frame.width, by: span) {
            let last = Double(min(span, frame.width - block) - 1)
            for rise in 0..<span {
                let slope = Double(rise) / Double(span - 1)
                let factor = (1 + slope * slope).squareRoot()
                let needed = max(least / factor, 2)
                let bound = lowest * Float(needed.squareRoot())
                let start = (block + rise) * frame.rows
                let rows = frame.size - rise..<frame.rows
                let isEmpty = sums.withUnsafeBufferPointer { sums in
                    (sums.baseAddress.map { Self.highest($0 + start + rows.lowerBound, count: rows.count) } ?? 0)
                        <= bound
                }
                if isEmpty { continue }
                for row in rows where sums[start + row] > bound {
                    let y = Double(row - frame.size)
                    let (first, end): (Double, Double)
                    if rise == 0 {
                        guard y >= 0, y < Double(frame.height) else { continue }
                        (first, end) = (0, last)
                    } else {
                        first = max(0, (-0.5 - y) / slope)
                        end = min(last, (Double(frame.height) - 0.5 - y) / slope)
                    }
                    let count = end - first + 1
                    let significance = sums[start + row] / (map.deviation * Float(max(count, 1).squareRoot()))
                    guard count >= needed, significance > threshold else { continue }
                    let begin = frame.place(Double(block) + first, y + slope * first)
                    let stop = frame.place(Double(block) + end, y + slope * end)
                    lines.append(
                        BlockLine(
                            x1: begin.x, y1: begin.y, x2: stop.x, y2: stop.y, significance: Double(significance)))
                }
            }
        }
        return lines
    }
}
