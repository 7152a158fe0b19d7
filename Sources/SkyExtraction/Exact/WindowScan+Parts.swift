extension WindowScan {
    /// One pixel of each 8-connected part of an island within `rows`, in raster order.
    ///
    /// Near the edge of a window SEP's detections differ from those in the whole image: islands separate in the image
    /// may touch there. A part in rows away from the edge never joins two islands, so one pixel represents its island.
    package borrowing func parts(of island: Island, in rows: Range<Int>) -> [(x: Int, y: Int)] {
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
