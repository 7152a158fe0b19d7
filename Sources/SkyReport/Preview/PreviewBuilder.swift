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
        for start in stride(from: 0, to: rows.count, by: width) {
            add(row: UnsafeBufferPointer(rebasing: rows[start..<start + width]))
        }
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
    public func finish() -> Preview {
        precondition(rowsTaken == height, "all rows have been added")
        return Preview(width: columns, height: pixels.count / columns, factor: factor, pixels: pixels)
    }
}
