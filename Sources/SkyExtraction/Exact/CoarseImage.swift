internal import CSkyKernel
package import SkyFITS

/// Sums of the background-subtracted samples over square blocks of pixels, in which lines too faint for the threshold
/// are found: of all pixels, and of those that are left when bright sources and their surroundings are hidden.
///
/// Pairs of samples are rounded to integers, and only integers are added and compared. So the sums do not depend on how
/// the image is cut into bands.
public struct CoarseImage: Codable, Equatable, Sendable {
    /// The sums of the pixels that are not hidden.
    package struct Plane: Codable, Equatable, Sendable {
        /// The sums, row by row.
        package fileprivate(set) var sums: [Int32]
        /// Number of pixels of each sum.
        package fileprivate(set) var counts: [UInt16]

        /// Adds the wanted pixels of the cells in `rows.row` that are not hidden, from the block `start` on.
        fileprivate mutating func add(
            _ rows: (above: CellRow, row: CellRow, below: CellRow), _ wanted: CellRow.Values, bound: Int32,
            block: Int, at start: Int, _ scratch: inout [Int32]
        ) {
            sums.withUnsafeMutableBufferPointer { sums in
                counts.withUnsafeMutableBufferPointer { counts in
                    rows.above.both.sums.withUnsafeBufferPointer { above in
                        rows.row.both.sums.withUnsafeBufferPointer { row in
                            rows.below.both.sums.withUnsafeBufferPointer { below in
                                // The blocks at `start` and after it hold a row of cells.
                                guard let sums = sums.baseAddress, let counts = counts.baseAddress else { return }
                                var cells = skyfarm_cell_row(
                                    above: above.baseAddress, row: row.baseAddress, below: below.baseAddress,
                                    count: Int32(row.count))
                                skyfarm_add_cells(
                                    &cells, wanted.sums, wanted.counts, bound, Int32(block / 2), &scratch,
                                    sums + start, counts + start)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Units of a sum per noise of a pixel.
    package static let unitsPerNoise: Float = 16
    /// Means of cells of 2 x 2 pixels, in units of a pixel's noise, from which a cell and its four neighbours are hidden.
    /// Faint trails are clearest in the first plane, and bright ones, which it hides, in the others.
    package static let limits: [Float] = [3, 6, .infinity]
    /// Rows above and below a row that decide whether its pixels are hidden.
    static let reach = 3
    /// Magnitude at which the kernel cuts the sum of a pair of pixels off: no sum of a block overflows.
    private static let limit: Float = 1_048_576

    /// Side of a block in pixels: 4, 8 or 16.
    package let block: Int
    /// Blocks of a row; the last one may reach beyond the image.
    package let columns: Int
    /// First row of blocks.
    package let firstRow: Int
    /// A plane for each of ``limits``.
    package private(set) var planes: [Plane]

    /// Zeros for the pixel rows `rows` of an image.
    package init(image: PixelRect, rows: Range<Int>) {
        let block = Self.block(of: image)
        (self.block, columns) = (block, (image.width + block - 1) / block)
        firstRow = rows.lowerBound / block
        let end = rows.isEmpty ? firstRow : (rows.upperBound - 1) / block + 1
        let count = columns * (end - firstRow)
        let plane = Plane(sums: Array(repeating: 0, count: count), counts: Array(repeating: 0, count: count))
        planes = Array(repeating: plane, count: Self.limits.count)
    }

    /// Rows of blocks.
    package var rows: Int { columns == 0 ? 0 : (planes.first?.sums.count ?? 0) / columns }

    /// The side of a block, by which the search takes a few per cent of the scan's time.
    private static func block(of image: PixelRect) -> Int {
        let side = max(image.width, image.height)
        return side <= 1100 ? 4 : side <= 2200 ? 8 : 16
    }

    /// Adds the rows `rows` of the image. `samples` returns those of a row, with the mask of the same pixels, if any, and nil
    /// for a row that is not in the image. It is asked for ``reach`` rows above and below `rows`, too.
    package mutating func add(rows: Range<Int>, width: Int, noise: Float, _ samples: (Int) -> CoarseRow?) {
        guard noise > 0, !rows.isEmpty, width > 0 else { return }
        let scale = Self.unitsPerNoise / noise
        func read(_ number: Int, into cells: inout CellRow) {
            cells.read(samples(2 * number), samples(2 * number + 1), scale: scale)
        }
        var (above, row, below) = (CellRow(width), CellRow(width), CellRow(width))
        read(rows.lowerBound / 2 - 1, into: &above)
        read(rows.lowerBound / 2, into: &row)
        var scratch = [Int32](repeating: 0, count: 2 * above.count)
        for number in rows.lowerBound / 2...(rows.upperBound - 1) / 2 {
            read(number + 1, into: &below)
            let isWanted = (rows.contains(2 * number), rows.contains(2 * number + 1))
            let start = (2 * number / block - firstRow) * columns
            for (plane, limit) in Self.limits.enumerated() {
                let bound = Int32(min(4 * limit * Self.unitsPerNoise, 4 * Self.limit))
                planes[plane].add(
                    (above, row, below), row.wanted(isWanted), bound: bound, block: block, at: start, &scratch)
            }
            swap(&above, &row)
            swap(&row, &below)
        }
    }

    /// Adds the sums of some rows of the same image; nothing if they do not fit.
    package mutating func add(_ other: CoarseImage) {
        guard other.columns == columns, other.block == block, other.firstRow >= firstRow,
            other.firstRow + other.rows <= firstRow + rows, other.planes.count == planes.count
        else { return }
        let start = (other.firstRow - firstRow) * columns
        for (number, plane) in other.planes.enumerated() {
            for place in plane.sums.indices {
                planes[number].sums[start + place] &+= plane.sums[place]
                planes[number].counts[start + place] &+= plane.counts[place]
            }
        }
    }

    /// Whether this has the shape of the rows `rows` of an image.
    package func fits(image: PixelRect, rows: Range<Int>) -> Bool {
        let expected = CoarseImage(image: image, rows: rows)
        return (block, columns, firstRow) == (expected.block, expected.columns, expected.firstRow)
            && planes.map(\.sums.count) == expected.planes.map(\.sums.count)
            && planes.map(\.counts.count) == expected.planes.map(\.counts.count)
    }
}

/// The background-subtracted samples of a row, and 1 in `mask` for each that is masked.
package struct CoarseRow {
    let samples: UnsafePointer<Float>
    let mask: UnsafePointer<UInt8>?

    package init(samples: UnsafePointer<Float>, mask: UnsafePointer<UInt8>?) {
        (self.samples, self.mask) = (samples, mask)
    }
}

/// The sums of pairs of pixels in two rows, which are a row of cells, and their numbers of pixels.
private struct CellRow {
    struct Values {
        var sums: [Int32]
        var counts: [Int32]
    }

    private let width: Int
    private var upper: Values
    private var lower: Values
    private(set) var both: Values

    init(_ width: Int) {
        self.width = width
        let zeros = [Int32](repeating: 0, count: (width + 1) / 2)
        upper = Values(sums: zeros, counts: zeros)
        (lower, both) = (upper, upper)
    }

    var count: Int { both.sums.count }

    mutating func read(_ first: CoarseRow?, _ second: CoarseRow?, scale: Float) {
        skyfarm_pair_sums(first?.samples, first?.mask, Int32(width), scale, &upper.sums, &upper.counts)
        skyfarm_pair_sums(second?.samples, second?.mask, Int32(width), scale, &lower.sums, &lower.counts)
        skyfarm_add_pairs(upper.sums, lower.sums, Int32(count), &both.sums)
        skyfarm_add_pairs(upper.counts, lower.counts, Int32(count), &both.counts)
    }

    /// The values of the rows that are wanted.
    func wanted(_ rows: (upper: Bool, lower: Bool)) -> Values {
        rows.upper && rows.lower ? both : rows.upper ? upper : lower
    }
}
