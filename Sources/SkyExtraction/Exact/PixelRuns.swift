package import SkyFITS

/// The pixels of sources as runs: consecutive pixels of a row; struct of arrays.
public struct PixelRuns: Codable, Equatable, Sendable {
    /// Number of runs of each source.
    package var count: [Int32] = []
    /// Row, first column and number of pixels of each run, in image coordinates, source by source.
    package var row: [Int32] = [], column: [Int32] = [], length: [Int32] = []

    package init() {}

    /// Adds a source with these raster offsets in a window, in ascending order.
    package mutating func append(ascending offsets: [Int32], in rect: PixelRect) {
        let before = row.count
        var next: Int32 = -1
        for offset in offsets {
            let (y, x) = Int(offset).quotientAndRemainder(dividingBy: rect.width)
            if offset == next, x > 0, row.count > before {
                length[length.count - 1] += 1
            } else {
                row.append(Int32(y + rect.y.lowerBound))
                column.append(Int32(x + rect.x.lowerBound))
                length.append(1)
            }
            next = offset + 1
        }
        count.append(Int32(row.count - before))
    }

    package mutating func append(_ other: PixelRuns) {
        count += other.count
        row += other.row
        column += other.column
        length += other.length
    }

    /// The runs of the sources at `indices`, in that order; nothing if there are no runs at all.
    package func selecting(_ indices: [Int]) -> PixelRuns {
        var result = PixelRuns()
        if count.isEmpty { return result }
        let starts = starts
        for index in indices {
            let range = starts[index]..<starts[index + 1]
            result.count.append(count[index])
            result.row += row[range]
            result.column += column[range]
            result.length += length[range]
        }
        return result
    }

    /// The runs of removed sources, with the survivors that removed them, directly or by way of others.
    /// - Parameters:
    ///   - order: all sources in key order.
    ///   - survivors: those that remain.
    ///   - absorbers: by position in `order` the position of the source that removed it.
    ///   - hiddenRows: by position in `order` the row whose runs are hidden, if there is one.
    /// - Returns: the runs of each survivor's removed sources, and whether they are hidden.
    package func absorbed(
        _ order: [Int], survivors: [Int], absorbers: [Int?], hiddenRows: [Int32?]
    ) -> (runs: PixelRuns, hidden: [Bool]) {
        var removed: [Int: [Int]] = [:]
        for (position, absorber) in absorbers.enumerated() {
            guard var last = absorber else { continue }
            // Bounded, although the relation has no cycle.
            for _ in order.indices {
                guard let next = absorbers[last] else { break }
                last = next
            }
            removed[order[last], default: []].append(position)
        }
        let starts = starts
        var result = PixelRuns()
        var hidden: [Bool] = []
        for survivor in survivors {
            let before = result.row.count
            for position in removed[survivor] ?? [] {
                let range = starts[order[position]]..<starts[order[position] + 1]
                hidden += row[range].map { $0 == hiddenRows[position] }
                result.row += row[range]
                result.column += column[range]
                result.length += length[range]
            }
            result.count.append(Int32(result.row.count - before))
        }
        return (result, hidden)
    }

    /// The box of each source's pixels, and their number; an empty box without pixels.
    package var extents: [(box: PixelRect, area: Int)] {
        var place = 0
        return count.map { count in
            var extent = (box: PixelRect(x: 0..<0, y: 0..<0), area: 0)
            for _ in 0..<count {
                let first = Int(column[place])
                let run = PixelRect(x: first..<first + Int(length[place]), y: Int(row[place])..<Int(row[place]) + 1)
                extent = (extent.box.isEmpty ? run : extent.box.union(run), extent.area + run.width)
                place += 1
            }
            return extent
        }
    }

    /// The place of each source's first run, followed by the number of runs.
    package var starts: [Int] {
        var sum = 0
        return [0]
            + count.map { count in
                sum += Int(count)
                return sum
            }
    }

    /// Whether there are runs of `sources` sources, or none at all, and all lie in `image`.
    package func isValid(sources: Int, in image: PixelRect) -> Bool {
        guard count.isEmpty || count.count == sources, count.allSatisfy({ $0 >= 0 }),
            count.reduce(0, { $0 + Int($1) }) == row.count, column.count == row.count, length.count == row.count
        else { return false }
        return row.indices.allSatisfy { place in
            length[place] > 0 && image.contains(x: Int(column[place]), y: Int(row[place]))
                && Int(length[place]) <= image.x.upperBound - Int(column[place])
        }
    }
}

/// The runs of all sources of an image, by row.
package struct SegmentRows: Sendable {
    /// A run of the source of this index.
    package struct Segment: Sendable {
        /// -1: of a detection, perhaps without a source.
        package var source: Int32
        package var column: Int32
        package var length: Int32
        /// Whether the pixels were those of a source that cleaning removed.
        package var isAbsorbed: Bool
        /// See ``CatalogAssembly/hidden``.
        package var isHidden = false
    }

    private let segments: [Segment]
    /// Place of the first run of each row, and the number of all.
    private let starts: [Int]

    /// Sorts the runs of sources, those that they absorbed, some of which are hidden (none if `hidden` is empty), and,
    /// before these, of all detections; the image has `height` rows.
    package init(
        _ runs: PixelRuns, absorbed: PixelRuns = PixelRuns(), hidden: [Bool] = [], detected: PixelRuns = PixelRuns(),
        height: Int
    ) {
        let all = [(detected, isAbsorbed: false, hasSource: false), (runs, false, true), (absorbed, true, true)]
        var starts = [Int](repeating: 0, count: height + 1)
        for (runs, _, _) in all { for row in runs.row { starts[Int(row) + 1] += 1 } }
        for row in 1..<starts.count { starts[row] += starts[row - 1] }
        var next = starts
        let none = Segment(source: 0, column: 0, length: 0, isAbsorbed: false)
        var segments = [Segment](repeating: none, count: starts[height])
        for (runs, isAbsorbed, hasSource) in all {
            var place = 0
            for (source, count) in runs.count.enumerated() {
                for _ in 0..<count {
                    let row = Int(runs.row[place])
                    segments[next[row]] = Segment(
                        source: hasSource ? Int32(source) : -1, column: runs.column[place], length: runs.length[place],
                        isAbsorbed: isAbsorbed, isHidden: isAbsorbed && !hidden.isEmpty && hidden[place])
                    next[row] += 1
                    place += 1
                }
            }
        }
        (self.segments, self.starts) = (segments, starts)
    }

    /// The runs of a row.
    package subscript(row: Int) -> ArraySlice<Segment> { segments[starts[row]..<starts[row + 1]] }
}
