import SkyFITS

/// The objects that share an island: a disjoint-set forest of objects whose pixels touch.
struct IslandLabels {
    private var parents: [Int32]

    /// `count` objects, each in a set of its own.
    init(count: Int) {
        parents = Array(0..<Int32(count))
    }

    /// Joins the sets of objects with 8-connected pixels. `pixels` holds raster offsets within `rect`.
    mutating func join(pixels: UnsafePointer<Int32>, offsets: [Int], in rect: PixelRect) {
        let rows = PixelsByRow(pixels, offsets: offsets, in: rect)
        // Owners of the pixels of two rows, 0 for none, with one extra column on either side. A map of the whole window
        // would be written sparsely, at the cost of many page faults.
        var upper = [Int32](repeating: 0, count: rect.width + 2)
        for pixel in rows[0] { upper[Int(pixel.column) + 1] = pixel.owner }
        var lower = [Int32](repeating: 0, count: rect.width + 2)
        for row in 0..<rect.height {
            for pixel in rows[row + 1] { lower[Int(pixel.column) + 1] = pixel.owner }
            for pixel in rows[row] {
                let object = Int(pixel.owner) - 1
                let column = Int(pixel.column)
                join(object, upper[column + 2])
                for below in column..<column + 3 { join(object, lower[below]) }
            }
            for pixel in rows[row] { upper[Int(pixel.column) + 1] = 0 }
            swap(&upper, &lower)
        }
    }

    @inline(__always)
    private mutating func join(_ object: Int, _ owner: Int32) {
        if owner == 0 || owner == Int32(object + 1) { return }
        let first = root(Int32(object))
        let second = root(owner - 1)
        parents[Int(max(first, second))] = min(first, second)
    }

    private mutating func root(_ object: Int32) -> Int32 {
        var object = object
        while parents[Int(object)] != object {
            let next = parents[Int(parents[Int(object)])]
            parents[Int(object)] = next
            object = next
        }
        return object
    }

    /// The end of the consecutive objects from `first` on that share its island.
    mutating func end(ofIslandAt first: Int) -> Int {
        let island = root(Int32(first))
        var end = first + 1
        while end < parents.count, root(Int32(end)) == island { end += 1 }
        return end
    }

    /// True if the objects form an island: none of them belongs to an earlier one.
    mutating func isIsland(_ objects: Range<Int>) -> Bool {
        root(Int32(objects.lowerBound)) == Int32(objects.lowerBound)
    }
}

/// The pixels of all objects, row by row.
private struct PixelsByRow {
    package struct Pixel {
        var column: Int32
        /// Number of the object, counted from 1.
        var owner: Int32
    }
    private var pixels: [Pixel] = []
    /// Start of each row, and the end of the last one; with one additional, empty row.
    private var starts: [Int]

    /// `places` holds raster offsets within `rect`; those of an object begin at one of the `offsets` and end at the
    /// next.
    init(_ places: UnsafePointer<Int32>, offsets: [Int], in rect: PixelRect) {
        let count = offsets.last ?? 0
        starts = Array(repeating: 0, count: rect.height + 2)
        for index in 0..<count { starts[Int(places[index]) / rect.width + 1] += 1 }
        for row in 1..<starts.count { starts[row] += starts[row - 1] }
        pixels = Array(unsafeUninitializedCapacity: count) { pixels, initialized in
            var next = starts
            for object in 0..<offsets.count - 1 {
                for index in offsets[object]..<offsets[object + 1] {
                    let (row, column) = Int(places[index]).quotientAndRemainder(dividingBy: rect.width)
                    pixels.initializeElement(at: next[row], to: Pixel(column: Int32(column), owner: Int32(object + 1)))
                    next[row] += 1
                }
            }
            initialized = count
        }
    }

    subscript(row: Int) -> ArraySlice<Pixel> { pixels[starts[row]..<starts[row + 1]] }
}
