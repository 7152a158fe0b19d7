/// A half-open rectangle of pixels in 0-based image coordinates: x along the columns, y along the rows of the file.
public struct PixelRect: Codable, Hashable, Sendable {
    /// Columns, upper bound excluded.
    public var x: Range<Int>
    /// Rows, upper bound excluded.
    public var y: Range<Int>

    /// Creates a rectangle from column and row ranges.
    public init(x: Range<Int>, y: Range<Int>) {
        self.x = x
        self.y = y
    }

    /// Number of columns.
    public var width: Int { x.count }
    /// Number of rows.
    public var height: Int { y.count }
    /// Number of pixels.
    public var area: Int { x.count * y.count }
    /// Rejects a rectangle that no image can have, which decoding alone does not detect: its ``area`` may overflow.
    /// - Throws: ``ScanSetupError`` if a bound or the area is out of range.
    package func validate() throws(ScanSetupError) {
        let sides = 0...Int(Int32.max)
        guard [x.lowerBound, x.upperBound, y.lowerBound, y.upperBound].allSatisfy(sides.contains),
            sides.contains(area)
        else { throw ScanSetupError("the pixels \(self) are in no image") }
    }

    /// Whether the rectangle contains no pixels.
    public var isEmpty: Bool { x.isEmpty || y.isEmpty }

    /// Whether every pixel of `other` is inside; an empty rectangle is inside every other.
    public func contains(_ other: PixelRect) -> Bool {
        other.isEmpty
            || (x.lowerBound <= other.x.lowerBound && other.x.upperBound <= x.upperBound
                && y.lowerBound <= other.y.lowerBound && other.y.upperBound <= y.upperBound)
    }

    /// Whether a pixel is inside.
    public func contains(x column: Int, y row: Int) -> Bool { x.contains(column) && y.contains(row) }

    /// Returns the intersection, which may be empty.
    public func clamped(to other: PixelRect) -> PixelRect {
        PixelRect(x: x.clamped(to: other.x), y: y.clamped(to: other.y))
    }

    /// Returns the smallest rectangle that contains both.
    public func union(_ other: PixelRect) -> PixelRect {
        PixelRect(
            x: min(x.lowerBound, other.x.lowerBound)..<max(x.upperBound, other.x.upperBound),
            y: min(y.lowerBound, other.y.lowerBound)..<max(y.upperBound, other.y.upperBound))
    }

    /// Returns the rectangle extended by `dx` columns and `dy` rows on each side. Neither may be negative.
    public func expanded(x dx: Int, y dy: Int) -> PixelRect {
        PixelRect(
            x: x.lowerBound - dx..<x.upperBound + dx, y: y.lowerBound - dy..<y.upperBound + dy)
    }
}
