/// Finds pairs of sources whose distance is within `zone` times the sum of their sizes.
///
/// Sources of similar size share a grid whose cells match their reach, so that a few large sources do not widen every
/// search.
package struct NeighbourGrid {
    private let x: [Double]
    private let y: [Double]
    private let sizes: [Float]
    private let zone: Double
    private var levels: [Level] = []
    // Sources without a usable position or size: treated as neighbours of every source.
    private var others: [Int] = []

    fileprivate struct Level {
        var largest = 0.0
        var cell = 1.0
        var columns = 0
        var rows = 0
        // Members of cell c: members[starts[c]..<starts[c + 1]], ascending.
        var starts: [Int32] = []
        var members: [Int32] = []
    }

    package init(x: [Double], y: [Double], sizes: [Float], zone: Double) {
        self.x = x
        self.y = y
        self.sizes = sizes
        self.zone = zone
        var classes: [Int: [Int]] = [:]
        for index in x.indices {
            let isUsable = (0..<1e9).contains(x[index]) && (0..<1e9).contains(y[index]) && sizes[index].isFinite
            // Sizes below 2 belong to the first grid.
            let level = isUsable ? max(1, Int(sizes[index].exponent)) : 0
            if isUsable, level < 30 { classes[level, default: []].append(index) } else { others.append(index) }
        }
        levels = classes.sorted { $0.key < $1.key }.map { level($0.value) }
    }

    private func level(_ indices: [Int]) -> Level {
        var level = Level()
        level.largest = Double(indices.map { sizes[$0] }.max() ?? 0)
        let width = indices.map { x[$0] }.max() ?? 0
        let height = indices.map { y[$0] }.max() ?? 0
        // At most about as many cells, rows and columns as sources.
        let count = Double(indices.count + 1)
        level.cell = max(zone * level.largest, (width * height / count).squareRoot(), max(width, height) / count, 1)
        level.columns = Int(width / level.cell) + 1
        level.rows = Int(height / level.cell) + 1
        let cells = indices.map { Int(y[$0] / level.cell) * level.columns + Int(x[$0] / level.cell) }
        level.starts = Array(repeating: 0, count: level.columns * level.rows + 1)
        for cell in cells { level.starts[cell + 1] += 1 }
        for cell in 1..<level.starts.count { level.starts[cell] += level.starts[cell - 1] }
        var next = level.starts
        level.members = Array(repeating: 0, count: indices.count)
        for (position, index) in indices.enumerated() {
            level.members[Int(next[cells[position]])] = Int32(index)
            next[cells[position]] += 1
        }
        return level
    }

    /// Calls `body` with every later source that may be within reach of source `index`, in no particular order.
    package func forEach(after index: Int, _ body: (Int) -> Void) {
        forEach(near: index, among: index + 1..<x.count, body)
    }

    /// Calls `body` with every earlier source that may be within reach of source `index`, in no particular order.
    package func forEach(before index: Int, _ body: (Int) -> Void) { forEach(near: index, among: 0..<index, body) }

    @inline(__always)
    private func forEach(near index: Int, among candidates: Range<Int>, _ body: (Int) -> Void) {
        for other in others where candidates.contains(other) { body(other) }
        guard sizes[index].isFinite, (0..<1e9).contains(x[index]), (0..<1e9).contains(y[index]) else {
            for other in candidates where !others.contains(other) { body(other) }
            return
        }
        for level in levels {
            // One pixel beyond the reach, for rounding in single precision.
            let reach = zone * (Double(sizes[index]) + level.largest) + 1
            let columns = level.range(x[index], reach, level.columns)
            for row in level.range(y[index], reach, level.rows) {
                let first = row * level.columns
                // The cells of a row are consecutive, and so are their members.
                let range =
                    Int(level.starts[first + columns.lowerBound])..<Int(level.starts[first + columns.upperBound])
                for position in range {
                    let member = Int(level.members[position])
                    if candidates.contains(member) { body(member) }
                }
            }
        }
    }
}

extension NeighbourGrid.Level {
    fileprivate func range(_ centre: Double, _ reach: Double, _ count: Int) -> Range<Int> {
        let first = Int(min(Double(count), max(0, (centre - reach) / cell)))
        let last = Int(min(Double(count - 1), (centre + reach) / cell))
        return first..<max(first, last + 1)
    }
}
