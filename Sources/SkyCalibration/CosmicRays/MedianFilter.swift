internal import CCalibration

/// The medians of squares of pixels, or of rows and then of columns. Beyond an edge of the image, its pixels are repeated.
struct MedianFilter {
    /// Pixels on each side of the middle one.
    let radius: Int
    let isSeparable: Bool
    private let network: SortingNetwork

    /// The filter of squares of `size` x `size` pixels; an odd number.
    init(size: Int, isSeparable: Bool) {
        (radius, self.isSeparable) = (size / 2, isSeparable)
        network = SortingNetwork(selectingMiddleOf: isSeparable ? size : size * size)
    }

    /// Filters the rows of `target`, for which `source` has the rows within ``radius``.
    func apply(to source: StripRows, height: Int, into target: StripRows) {
        let width = source.width
        let rows = target.rows.grown(by: radius, height: height)
        let padded = width + 2 * radius
        // The medians of rows, or the rows with what is beyond their ends.
        let lines = StripRows.allocate(rows, width: isSeparable ? width : padded)
        let buffer = UnsafeMutablePointer<Float>.allocate(capacity: padded)
        defer {
            lines.start.deallocate()
            buffer.deallocate()
        }
        var sources: [UnsafePointer<Float>?] = []
        for row in rows {
            let line = isSeparable ? buffer : lines.row(row)
            pad(source.row(row), width, into: line)
            guard isSeparable else { continue }
            sources.removeAll(keepingCapacity: true)
            for shift in 0...2 * radius { sources.append(UnsafePointer(line + shift)) }
            medians(sources, width, lines.row(row))
        }
        for row in target.rows {
            sources.removeAll(keepingCapacity: true)
            for near in row - radius...row + radius {
                let line = lines.row(min(max(near, 0), height - 1))
                for shift in 0...(isSeparable ? 0 : 2 * radius) { sources.append(UnsafePointer(line + shift)) }
            }
            medians(sources, width, target.row(row))
        }
    }

    /// Copies a row with its first and last pixels repeated.
    private func pad(_ row: UnsafePointer<Float>, _ width: Int, into target: UnsafeMutablePointer<Float>) {
        target.update(repeating: row[0], count: radius)
        (target + radius).update(from: row, count: width)
        (target + radius + width).update(repeating: row[width - 1], count: radius)
    }

    private func medians(
        _ sources: [UnsafePointer<Float>?], _ count: Int, _ target: UnsafeMutablePointer<Float>
    ) {
        sources.withUnsafeBufferPointer { rows in
            network.comparators.withUnsafeBufferPointer { comparators in
                skyfarm_medians_of_rows(
                    rows.baseAddress, rows.count, count, comparators.baseAddress, comparators.count, target)
            }
        }
    }
}
