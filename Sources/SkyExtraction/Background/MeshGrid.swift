/// One value per mesh of an image, row by row.
package struct MeshGrid: Equatable, Sendable {
    package let columns: Int
    package let rows: Int
    /// Values, row by row; ``MeshStatistics/bad`` for a mesh without one.
    package var values: [Float]

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        values = Array(repeating: MeshStatistics.bad, count: columns * rows)
    }

    private func isBad(_ index: Int) -> Bool { values[index] <= MeshStatistics.bad }

    /// Replaces each bad mesh by the mean of the valid meshes nearest to it, or by `empty` if no mesh is valid.
    ///
    /// Sums run in raster order and single precision, as in SEP. SEP compares all pairs of meshes; this compares two
    /// meshes per row: the nearest to the left and to the right.
    package mutating func fillBadMeshes(empty: Float) {
        let bad = values.indices.filter(isBad)
        if bad.isEmpty { return }
        let nearest = NearestInRow(grid: self)
        let original = values
        for index in bad {
            let (row, column) = index.quotientAndRemainder(dividingBy: columns)
            values[index] = nearest.mean(row: row, column: column, values: original) ?? empty
        }
    }

    /// For every mesh, the columns of the nearest valid meshes of its row; -1 where there is none.
    private struct NearestInRow {
        let columns: Int
        let rows: Int
        var left: [Int32]
        var right: [Int32]

        init(grid: MeshGrid) {
            columns = grid.columns
            rows = grid.rows
            left = Array(repeating: -1, count: grid.values.count)
            right = left
            for row in 0..<rows {
                var last: Int32 = -1
                for column in 0..<columns {
                    if !grid.isBad(row * columns + column) { last = Int32(column) }
                    left[row * columns + column] = last
                }
                last = -1
                for column in (0..<columns).reversed() {
                    if !grid.isBad(row * columns + column) { last = Int32(column) }
                    right[row * columns + column] = last
                }
            }
        }

        func mean(row: Int, column: Int, values: [Float]) -> Float? {
            guard let distance = squaredDistance(row: row, column: column) else { return nil }
            var sum: Float = 0
            var count = 0
            for other in 0..<rows {
                let rest = distance - (other - row) * (other - row)
                if rest < 0 { continue }
                let cell = other * columns + column
                let before = Int(left[cell])
                let after = Int(right[cell])
                if before >= 0, (column - before) * (column - before) == rest {
                    sum = count == 0 ? values[other * columns + before] : sum + values[other * columns + before]
                    count += 1
                }
                if after > before, after > column, (after - column) * (after - column) == rest {
                    sum = count == 0 ? values[other * columns + after] : sum + values[other * columns + after]
                    count += 1
                }
            }
            return sum / Float(count)
        }

        private func squaredDistance(row: Int, column: Int) -> Int? {
            var best: Int?
            for step in 0..<rows {
                if let best, step * step > best { break }
                for other in step == 0 ? [row] : [row - step, row + step] where (0..<rows).contains(other) {
                    let cell = other * columns + column
                    for found in [Int(left[cell]), Int(right[cell])] where found >= 0 {
                        let distance = (found - column) * (found - column) + step * step
                        best = min(best ?? distance, distance)
                    }
                }
            }
            return best
        }
    }
}
