import SkyExtraction

/// The limit of an aperture as pixels: those inside of an ellipse that have a neighbour of the same row or column outside.
package struct ApertureOutline: Sendable {
    private let x: Double
    private let y: Double
    private let shape: EllipseShape
    private let squaredRadius: Double
    /// Rows that it crosses, perhaps outside of the image.
    package let rows: ClosedRange<Int>

    /// The ellipse of `radius` semi-axes; nil if it has no pixels that can be drawn.
    package init?(x: Double, y: Double, a: Double, b: Double, theta: Double, radius: Double) {
        guard x.magnitude < 1e9, y.magnitude < 1e9, a > 0, b > 0, radius > 0, a * radius < 1e6 else { return nil }
        shape = EllipseShape(ApertureTarget(x: x, y: y, a: Float(a), b: Float(b), theta: Float(theta)))
        (self.x, self.y, squaredRadius) = (x, y, radius * radius)
        let half = shape.halfSides(radius: radius).y
        guard half.isFinite, half < 1e6 else { return nil }
        rows = Int((y - half).rounded(.down))...Int((y + half).rounded(.up))
    }

    /// The columns of a row inside of the ellipse.
    private func columns(_ row: Int) -> Range<Int> {
        let dy = Double(row) - y
        // Roots of cxx dx² + cxy dy dx + cyy dy² - r² = 0.
        let half = shape.cxy * dy / 2
        let discriminant = half * half - shape.cxx * (shape.cyy * dy * dy - squaredRadius)
        guard discriminant >= 0, shape.cxx > 0 else { return 0..<0 }
        let (middle, reach) = (x - half / shape.cxx, discriminant.squareRoot() / shape.cxx)
        let (first, last) = (Int((middle - reach).rounded(.up)), Int((middle + reach).rounded(.down)))
        return first > last ? 0..<0 : first..<last + 1
    }

    /// Adds `value` to the samples of a row of the image at the columns of the outline.
    package func draw(_ value: Float, row: Int, in samples: inout ArraySlice<Float>) {
        let own = columns(row)
        if own.isEmpty { return }
        let (above, below) = (columns(row - 1), columns(row + 1))
        let inner = max(own.lowerBound + 1, above.lowerBound, below.lowerBound)
        let innerEnd = min(own.upperBound - 1, above.upperBound, below.upperBound)
        let width = samples.count
        for column in own.clamped(to: 0..<width) where !(inner..<max(inner, innerEnd)).contains(column) {
            samples[samples.startIndex + column] += value
        }
    }
}
