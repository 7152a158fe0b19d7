/// Reduces an image to a preview, row by row, without storing the image.
///
/// Each pixel of the preview is the mean of the finite pixels in a square of the image, or in some rows of the square;
/// NaN if there are none. ``nextRows(limit:)`` returns the rows to read, ``add(rows:)`` takes their pixels, and
/// ``finish()`` returns the ``Preview``, whose ``Stretch`` maps values to shades.
public struct PreviewBuilder: Sendable {
    /// Number of columns of the image.
    public let width: Int
    /// Number of rows of the image.
    public let height: Int
    /// Number of image pixels along each side of a preview pixel.
    public let factor: Int
    private let columns: Int
    private let rowsOfSquare: Int
    private var pixels: [Float] = []
    /// Sum and number of the finite pixels of each column, in the rows of the current square.
    private var sums: [Double]
    private var counts: [Float]
    private var rowsTaken = 0

    /// Begins the preview of an image, which must have pixels.
    ///
    /// - Parameters:
    ///   - width: number of columns of the image.
    ///   - height: number of rows of the image.
    ///   - limit: maximum length of the preview's longest side, in pixels.
    ///   - rowsOfSquare: number of rows that are read of each square; nil for all.
    public init(width: Int, height: Int, limit: Int = 1600, rowsOfSquare: Int? = nil) {
        precondition(width > 0 && height > 0 && limit > 0, "an image has pixels")
        (self.width, self.height) = (width, height)
        factor = (max(width, height) + limit - 1) / limit
        self.rowsOfSquare = max(1, min(rowsOfSquare ?? factor, factor))
        columns = (width + factor - 1) / factor
        sums = Array(repeating: 0, count: width)
        counts = Array(repeating: 0, count: width)
        pixels.reserveCapacity(columns * ((height + factor - 1) / factor))
    }

    /// Returns the rows of the image that ``add(rows:)`` expects next, at most about `limit`, or nil after the last
    /// row.
    public func nextRows(limit: Int) -> Range<Int>? {
        guard rowsTaken < height else { return nil }
        let end = rowsOfSquare < factor ? squareEnd(of: rowsTaken) : rowsTaken + max(1, limit)
        return rowsTaken..<min(height, end)
    }

    /// Returns the row after the last one that is read in the square of `row`.
    private func squareEnd(of row: Int) -> Int { min(height, row / factor * factor + rowsOfSquare) }

    /// Adds the rows that ``nextRows(limit:)`` returned.
    public mutating func add(rows: UnsafeBufferPointer<Float>) {
        precondition(rows.count % width == 0 && rowsTaken + rows.count / width <= height, "whole rows of the image")
        var rest = rows[...]
        while !rest.isEmpty {
            let square = squareEnd(of: rowsTaken) - rowsTaken
            let isWhole = rowsTaken % factor == 0 && rest.count >= square * width
            let taken = UnsafeBufferPointer(rebasing: rest.prefix(isWhole ? square * width : width))
            if isWhole { add(square: taken) } else { add(row: taken) }
            rest = rest.dropFirst(taken.count)
        }
    }

    /// Adds all rows of the squares of a row of the preview. Numbers are not counted, as long as they have a sum.
    private mutating func add(square rows: UnsafeBufferPointer<Float>) {
        let (width, factor, first) = (width, factor, pixels.count)
        let count = rows.count / width
        sums.withUnsafeMutableBufferPointer { sums in
            for column in 0..<width { sums[column] = Double(rows[column]) }
            for start in stride(from: width, to: rows.count, by: width) {
                for column in 0..<width { sums[column] += Double(rows[start &+ column]) }
            }
            let whole = width / factor
            // By constant factors the compiler adds several squares at once.
            switch factor {
            case 1: Self.append(1, UnsafeBufferPointer(sums), whole, of: count, to: &pixels)
            case 2: Self.append(2, UnsafeBufferPointer(sums), whole, of: count, to: &pixels)
            case 3: Self.append(3, UnsafeBufferPointer(sums), whole, of: count, to: &pixels)
            default: Self.append(factor, UnsafeBufferPointer(sums), whole, of: count, to: &pixels)
            }
            if whole < columns {
                let sum = sums[(whole * factor)...].reduce(0, +)
                pixels.append(Float(sum / Double(count * (width - whole * factor))))
            }
            sums.update(repeating: 0)
        }
        rowsTaken = min(height, rowsTaken + factor)
        for place in first..<pixels.count where !pixels[place].isFinite {
            pixels[place] = mean(ofColumns: (place - first) * factor, in: rows)
        }
    }

    /// Appends the means of squares, whose columns have sums of `rowCount` rows.
    @inline(__always)
    private static func append(
        _ factor: Int, _ sums: UnsafeBufferPointer<Double>, _ count: Int, of rowCount: Int, to pixels: inout [Float]
    ) {
        let number = Double(factor * rowCount)
        pixels += [Float](unsafeUninitializedCapacity: count) { means, initialized in
            for place in 0..<count {
                var sum = 0.0
                for column in 0..<factor { sum += sums[place &* factor &+ column] }
                means[place] = Float(sum / number)
            }
            initialized = count
        }
    }

    /// Returns the mean of the finite pixels of a square; NaN if there are none.
    private func mean(ofColumns first: Int, in rows: UnsafeBufferPointer<Float>) -> Float {
        var (sum, count) = (0.0, 0.0)
        for start in stride(from: 0, to: rows.count, by: width) {
            for pixel in rows[start + first..<start + min(width, first + factor)] where pixel.isFinite {
                sum += Double(pixel)
                count += 1
            }
        }
        return count == 0 ? .nan : Float(sum / count)
    }

    private mutating func add(row: UnsafeBufferPointer<Float>) {
        sums.withUnsafeMutableBufferPointer { sums in
            counts.withUnsafeMutableBufferPointer { counts in
                // The loop has no branches, so that the compiler vectorises it.
                for column in row.indices {
                    let pixel = row[column]
                    sums[column] += pixel.isFinite ? Double(pixel) : 0
                    counts[column] += pixel.isFinite ? 1 : 0
                }
            }
        }
        rowsTaken += 1
        if rowsTaken == squareEnd(of: rowsTaken - 1) { finishRow() }
    }

    private mutating func finishRow() {
        sums.withUnsafeMutableBufferPointer { sums in
            counts.withUnsafeMutableBufferPointer { counts in
                for start in stride(from: 0, to: width, by: factor) {
                    var (sum, count) = (0.0, Float(0))
                    for column in start..<min(width, start + factor) {
                        sum += sums[column]
                        count += counts[column]
                    }
                    pixels.append(count == 0 ? .nan : Float(sum / Double(count)))
                }
                sums.update(repeating: 0)
                counts.update(repeating: 0)
            }
        }
        rowsTaken = min(height, (rowsTaken + factor - 1) / factor * factor)
    }

    /// Returns the preview. Must be called after all rows have been added.
    public func finish() -> Preview { finish(from: 1) }

    /// Returns the preview of rows that are reduced already: each side of their pixels has so many pixels of the image.
    func finish(from first: Int) -> Preview {
        precondition(rowsTaken == height, "all rows have been added")
        return Preview(width: columns, height: pixels.count / columns, factor: first * factor, pixels: pixels)
    }
}
