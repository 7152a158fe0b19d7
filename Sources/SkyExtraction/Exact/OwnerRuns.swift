package import SkyFITS

/// The runs of a window's pixels that have owners, by row; in each row ascending and disjoint.
package struct OwnerRuns {
    /// Where the runs of each row begin; one more than there are rows.
    private var starts: [Int]
    /// Columns of the window.
    private var first: [Int32] = [], end: [Int32] = []
    private var numbers: [Int32] = []

    /// - Parameters:
    ///   - sources: the runs, in image coordinates and in any order. Where several overlap, the last one counts.
    ///   - numbers: the owner of each.
    ///   - rect: the window, which holds them.
    package init(_ sources: MeasurementWindow, numbers: [Int32], in rect: PixelRect) {
        var counts = [Int](repeating: 0, count: rect.height + 1)
        for row in sources.row { counts[Int(row) - rect.y.lowerBound + 1] += 1 }
        for row in 0..<rect.height { counts[row + 1] += counts[row] }
        var (next, order) = (counts, [Int](repeating: 0, count: numbers.count))
        for (place, row) in sources.row.enumerated() {
            let row = Int(row) - rect.y.lowerBound
            order[next[row]] = place
            next[row] += 1
        }
        starts = [0]
        starts.reserveCapacity(rect.height + 1)
        let left = Int32(rect.x.lowerBound)
        for row in 0..<rect.height {
            let places = order[counts[row]..<counts[row + 1]]
            var (limit, isAscending) = (Int32.min, true)
            for place in places {
                isAscending = isAscending && sources.column[place] >= limit
                limit = sources.column[place] + sources.length[place]
            }
            if isAscending {
                for place in places {
                    append(
                        sources.column[place] - left, sources.column[place] - left + sources.length[place],
                        numbers[place])
                }
            } else {
                paint(places, sources, numbers, in: rect)
            }
            starts.append(first.count)
        }
    }

    private mutating func append(_ first: Int32, _ end: Int32, _ number: Int32) {
        self.first.append(first)
        self.end.append(end)
        numbers.append(number)
    }

    /// Adds the runs of a row that are not in order.
    private mutating func paint(
        _ places: ArraySlice<Int>, _ sources: MeasurementWindow, _ numbers: [Int32], in rect: PixelRect
    ) {
        var line = [Int32?](repeating: nil, count: rect.width)
        for place in places {
            let start = Int(sources.column[place]) - rect.x.lowerBound
            for column in start..<start + Int(sources.length[place]) { line[column] = numbers[place] }
        }
        var start = 0
        for column in 1...rect.width where column == rect.width || line[column] != line[start] {
            if let number = line[start] { append(Int32(start), Int32(column), number) }
            start = column
        }
    }

    /// The owner of a pixel of the window; nil if none has it.
    package func number(row: Int, column: Int) -> Int32? {
        var (low, high) = (starts[row], starts[row + 1])
        // The first run that ends after the column.
        while low < high {
            let middle = (low + high) / 2
            if end[middle] <= column { low = middle + 1 } else { high = middle }
        }
        return low < starts[row + 1] && first[low] <= column ? numbers[low] : nil
    }
}
