package import SkyFITS

/// Sources of some islands with the data that assembly of the catalogue needs, one element per source in each column.
package struct SourceBatch: Codable, Equatable, Sendable {
    /// The sources, in image coordinates, with their photometry.
    package var sources = SourceTable()
    /// Rows of the islands' keys.
    package var keyRow: [Int32] = []
    /// Columns of the islands' keys.
    package var keyColumn: [Int32] = []
    /// Correction of the profile's amplitude, used for cleaning only; SExtractor's abcor.
    package var abcor: [Float] = []
    /// Level by which a neighbour's wing must exceed the threshold to absorb the source; SExtractor's mthresh.
    package var mthresh: [Float] = []
    /// The sources' pixels; nothing unless the parameters need them.
    package var pixels = PixelRuns()
    /// All pixels above the threshold; nothing unless ``ScanParameters/returnsDetections``.
    package var detected = PixelRuns()
    /// Sources whose apertures reach beyond the window they were measured in.
    package var open = OpenApertures()

    package init() {}

    package var count: Int { sources.count }

    package mutating func append(_ other: SourceBatch) {
        open.append(other.open, shiftedBy: count)
        sources.append(other.sources)
        keyRow += other.keyRow
        keyColumn += other.keyColumn
        abcor += other.abcor
        mthresh += other.mthresh
        pixels.append(other.pixels)
        detected.append(other.detected)
    }

    package func selecting(_ indices: [Int]) -> SourceBatch {
        var result = SourceBatch()
        result.sources = sources.selecting(indices)
        result.keyRow = keyRow.selecting(indices)
        result.keyColumn = keyColumn.selecting(indices)
        result.abcor = abcor.selecting(indices)
        result.mthresh = mthresh.selecting(indices)
        result.pixels = pixels.selecting(indices)
        result.open = open.selecting(indices, count: count)
        return result
    }

    /// Key of the island that contains the source at `index`.
    package func key(_ index: Int) -> IslandKey { IslandKey(row: keyRow[index], column: keyColumn[index]) }

    /// The sources' indices, sorted by the keys of their islands; sources of one island keep their order.
    func keyOrder() -> [Int] {
        // One integer per key, in the same order: the row is the upper half; the column, with its sign bit inverted, is
        // the lower one.
        let keys = zip(keyRow, keyColumn).map { row, column in
            Int64(row) << 32 | Int64(UInt32(bitPattern: column) ^ 1 << 31)
        }
        return keys.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }.map(\.offset)
    }

    /// The number of each source's island, from 1, if `order` sorts the sources by key.
    func islandNumbers(_ order: [Int]) -> [Int32] {
        var numbers = [Int32](repeating: 0, count: count)
        var last: (key: IslandKey?, number: Int32) = (nil, 0)
        for index in order {
            if key(index) != last.key { last = (key(index), last.number + 1) }
            numbers[index] = last.number
        }
        return numbers
    }

    /// Refuses a batch whose columns are inconsistent or do not fit the image, which decoding alone does not detect.
    /// - Throws: ``ScanSetupError``.
    package func validate(in image: PixelRect) throws(ScanSetupError) {
        let lengths = [keyRow.count, keyColumn.count, abcor.count, mthresh.count]
        guard sources.isRectangular, lengths.allSatisfy({ $0 == count }), open.isValid(count: count, in: image),
            pixels.isValid(sources: count, in: image), detected.isValid(sources: detected.count.count, in: image)
        else {
            throw ScanSetupError("the columns of a batch of sources are inconsistent or do not fit the image")
        }
    }
}

/// Boxes that a window must contain so that some sources can be measured; struct of arrays.
package struct OpenApertures: Codable, Equatable, Sendable {
    /// The sources, by index in their batch or table.
    package var index: [Int32] = []
    /// The boxes, in image coordinates: first column, end column, first row, end row.
    package var xmin: [Int32] = [], xend: [Int32] = [], ymin: [Int32] = [], yend: [Int32] = []

    package init() {}

    package var count: Int { index.count }

    package func box(_ position: Int) -> PixelRect {
        PixelRect(
            x: Int(xmin[position])..<Int(xend[position]), y: Int(ymin[position])..<Int(yend[position]))
    }

    package mutating func append(index: Int, box: PixelRect) {
        self.index.append(Int32(index))
        xmin.append(Int32(box.x.lowerBound))
        xend.append(Int32(box.x.upperBound))
        ymin.append(Int32(box.y.lowerBound))
        yend.append(Int32(box.y.upperBound))
    }

    package mutating func append(_ other: OpenApertures, shiftedBy shift: Int) {
        index += other.index.map { $0 + Int32(shift) }
        xmin += other.xmin
        xend += other.xend
        ymin += other.ymin
        yend += other.yend
    }

    /// Takes out the sources `measured`, but for those that are open in turn: `rest`, by index in `measured`.
    package mutating func replace(_ measured: [Int32], by rest: OpenApertures) {
        let done = Set(measured)
        var remaining = OpenApertures()
        for position in 0..<count where !done.contains(index[position]) {
            remaining.append(index: Int(index[position]), box: box(position))
        }
        for position in 0..<rest.count {
            remaining.append(index: Int(measured[Int(rest.index[position])]), box: rest.box(position))
        }
        self = remaining
    }

    func selecting(_ indices: [Int], count: Int) -> OpenApertures {
        var positions = [Int32](repeating: -1, count: count)
        for (position, index) in index.enumerated() { positions[Int(index)] = Int32(position) }
        var result = OpenApertures()
        for (new, old) in indices.enumerated() where positions[old] >= 0 {
            result.append(index: new, box: box(Int(positions[old])))
        }
        return result
    }

    /// True if each of `count` sources occurs at most once, with a box inside `image`.
    package func isValid(count: Int, in image: PixelRect) -> Bool {
        let lengths = [xmin.count, xend.count, ymin.count, yend.count]
        return lengths.allSatisfy { $0 == self.count } && index.allSatisfy { (0..<Int32(count)).contains($0) }
            && Set(index).count == self.count && zip(xmin, xend).allSatisfy(<) && zip(ymin, yend).allSatisfy(<)
            && (0..<self.count).allSatisfy { image.contains(box($0)) }
    }
}
