extension BackgroundModel {
    /// The background at positions, rounded to pixels, interpolated linearly between the centres of meshes.
    package func levels(x: [Double], y: [Double]) -> [Float] {
        let rows = level.values.count / level.columns
        func place(_ position: Double, _ mesh: Int, _ count: Int) -> (Int, Double) {
            let pixel = position.isFinite ? (position + 0.5).rounded(.down) : 0
            let place = pixel / Double(mesh) - 0.5
            let first = min(max(0, place.rounded(.down)), Double(max(0, count - 2)))
            return (Int(first), count < 2 ? 0 : place - first)
        }
        return zip(x, y).map { x, y in
            let (column, dx) = place(x, meshWidth, level.columns)
            let (row, dy) = place(y, meshHeight, rows)
            let (right, below) = (min(column + 1, level.columns - 1), min(row + 1, rows - 1))
            func value(_ column: Int, _ row: Int) -> Double { Double(level.values[row * level.columns + column]) }
            let upper = value(column, row) * (1 - dx) + value(right, row) * dx
            let lower = value(column, below) * (1 - dx) + value(right, below) * dx
            return Float(upper * (1 - dy) + lower * dy)
        }
    }
}
