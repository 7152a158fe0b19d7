/// A half-open rectangle of pixels, 0-based and in image coordinates: x to the right, y along the rows of the file.
public struct PixelRect: Codable, Hashable, Sendable {
    /// Columns, upper bound excluded.
    public var x: Range<Int>
    /// Rows, upper bound excluded.
    public var y: Range<Int>

    /// The rectangle of columns `x` and rows `y`.
    public init(x: Range<Int>, y: Range<Int>) {
        self.x = x
        self.y = y
    }

    /// Columns.
    public var width: Int { x.count }
    /// Rows.
    public var height: Int { y.count }
    /// Number of pixels.
    public var area: Int { x.count * y.count }
    /// Refuses a rectangle that no image has, which decoding alone does not detect: its ``area`` may overflow.
    /// - Throws: ``ScanSetupError``.
    package func validate() throws(ScanSetupError) {
        let sides = 0...Int(Int32.max)
        guard [x.lowerBound, x.upperBound, y.lowerBound, y.upperBound].allSatisfy(sides.contains),
            sides.contains(area)
        else { throw ScanSetupError("the pixels \(self) are in no image") }
    }

    /// True if it contains no pixel.
    public var isEmpty: Bool { x.isEmpty || y.isEmpty }

    /// True if every pixel of `other` lies inside; an empty rectangle lies in every other.
    public func contains(_ other: PixelRect) -> Bool {
        other.isEmpty
            || (x.lowerBound <= other.x.lowerBound && other.x.upperBound <= x.upperBound
                && y.lowerBound <= other.y.lowerBound && other.y.upperBound <= y.upperBound)
    }

    /// True if the pixel lies inside.
    public func contains(x column: Int, y row: Int) -> Bool { x.contains(column) && y.contains(row) }

    /// The intersection, possibly empty.
    public func clamped(to other: PixelRect) -> PixelRect {
        PixelRect(x: x.clamped(to: other.x), y: y.clamped(to: other.y))
    }

    /// The smallest rectangle that contains both.
    public func union(_ other: PixelRect) -> PixelRect {
        PixelRect(
            x: min(x.lowerBound, other.x.lowerBound)..<max(x.upperBound, other.x.upperBound),
            y: min(y.lowerBound, other.y.lowerBound)..<max(y.upperBound, other.y.upperBound))
    }

    /// The rectangle extended by `dx` columns and `dy` rows on each side. Neither may be negative.
    public func expanded(x dx: Int, y dy: Int) -> PixelRect {
        PixelRect(
            x: x.lowerBound - dx..<x.upperBound + dx, y: y.lowerBound - dy..<y.upperBound + dy)
    }
}
