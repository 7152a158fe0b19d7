internal import CSkyKernel
package import SkyFITS

/// Position and shape of a source, which determine its apertures.
package struct ApertureTarget {
    package var x: Double
    package var y: Double
    package var a: Float
    package var b: Float
    package var theta: Float

    package init(x: Double, y: Double, a: Float, b: Float, theta: Float) {
        (self.x, self.y, self.a, self.b, self.theta) = (x, y, a, b, theta)
    }
}

/// The ellipses cxx x² + cyy y² + cxy x y = r² around a source, with r = 1 at its semi-axes.
package struct EllipseShape {
    let coefficients: skyfarm_ellipse
    /// Whether it has a flux: SEP refuses axes that are not in order, of length 0, or not numbers.
    let isMeasurable: Bool

    /// Coefficient of x².
    package var cxx: Double { coefficients.cxx }
    /// Coefficient of y².
    package var cyy: Double { coefficients.cyy }
    /// Coefficient of x y.
    package var cxy: Double { coefficients.cxy }

    /// The shape of a source. Its position angle counts as one within SEP's limits.
    package init(_ target: ApertureTarget) {
        let angle = min(max(Double(target.theta), -Double.pi / 2), Double.pi / 2)
        coefficients = skyfarm_ellipse_of(Double(target.a), Double(target.b), angle)
        isMeasurable = target.b > 0 && target.a >= target.b && !angle.isNaN
    }

    /// Whether a window at this distance from the barycentre, in pixels, belongs to another source for SExtractor: more
    /// than a pixel along both axes, and outside of the ellipse.
    package func hasStrayed(x: Double, y: Double) -> Bool {
        x * x > 1 && y * y > 1 && cxx * x * x + cyy * y * y + cxy * x * y > 1
    }

    /// Half width and height of the box around the ellipse of `radius`; 0 for a shape that is not an ellipse.
    package func halfSides(radius: Double) -> (x: Double, y: Double) {
        func side(_ along: Double, _ across: Double) -> Double {
            let limit = along - cxy * cxy / (4 * across)
            return limit > 0 ? radius / limit.squareRoot() : 0
        }
        return (side(cxx, cyy), side(cyy, cxx))
    }
}

extension PixelRect {
    /// The pixels of this rectangle within the half sides of a position, with a margin for SEP's rounding.
    package func box(aroundX x: Double, y: Double, halfWidth: Double, halfHeight: Double) -> PixelRect {
        let margin = 3.0
        func range(_ centre: Double, _ half: Double, in bounds: Range<Int>) -> Range<Int> {
            let low = (centre - half - margin).rounded(.down)
            let high = (centre + half + margin).rounded(.up)
            // A position that is NaN has no pixels; SEP measures nothing there.
            guard low <= Double(bounds.upperBound), high >= Double(bounds.lowerBound) else {
                return bounds.lowerBound..<bounds.lowerBound
            }
            let first = max(low, Double(bounds.lowerBound))
            let end = min(high, Double(bounds.upperBound))
            return Int(first)..<max(Int(first), Int(end))
        }
        return PixelRect(x: range(x, halfWidth, in: self.x), y: range(y, halfHeight, in: self.y))
    }
}
