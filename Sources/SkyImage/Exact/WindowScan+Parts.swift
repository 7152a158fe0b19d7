extension WindowScan {
    /// One pixel of each 8-connected part that an island has in `rows`, in raster order.
    ///
    /// Near the edge of a window what SEP detects is not what it detects in the image: islands may touch there that are
    /// apart in the image. Parts in rows off the edge are never of two islands, and so stand for all that belong there.
    borrowing func parts(of island: Island, in rows: Range<Int>) -> [(x: Int, y: Int)] {
        let (columns, rows) = (island.box.x, island.box.y.clamped(to: rows))
        if rows.isEmpty { return [] }
        var isOpen = [Bool](repeating: false, count: columns.count * rows.count)
        forEachPixel(of: island) { x, y in
            if rows.contains(y) { isOpen[(y - rows.lowerBound) * columns.count + x - columns.lowerBound] = true }
            return true
        }
        var parts: [(x: Int, y: Int)] = []
        var waiting: [Int] = []
        for first in isOpen.indices where isOpen[first] {
            parts.append((first % columns.count + columns.lowerBound, first / columns.count + rows.lowerBound))
            isOpen[first] = false
            waiting.append(first)
            while let place = waiting.popLast() {
                let (row, column) = place.quotientAndRemainder(dividingBy: columns.count)
                for nextRow in max(0, row - 1)...min(rows.count - 1, row + 1) {
                    for nextColumn in max(0, column - 1)...min(columns.count - 1, column + 1) {
                        let next = nextRow * columns.count + nextColumn
                        guard isOpen[next] else { continue }
                        isOpen[next] = false
                        waiting.append(next)
                    }
                }
            }
        }
        return parts
    }
}
