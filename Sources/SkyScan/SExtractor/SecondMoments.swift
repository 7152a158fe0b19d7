internal import CElementary
internal import Foundation

/// Second moments of a profile or of an error, and the ellipse that they define.
package struct SecondMoments {
    var x2: Double
    var y2: Double
    var xy: Double
    private var mean: Double { (x2 + y2) / 2 }
    private var difference: Double { (x2 - y2) / 2 }
    private var root: Double { (difference * difference + xy * xy).squareRoot() }

    /// Semi-major axis; ``b`` is the semi-minor axis.
    var a: Double { max(0, mean + root).squareRoot() }
    var b: Double { max(0, mean - root).squareRoot() }

    /// Angle of the major axis from x towards y, in degrees from -90 to 90.
    var theta: Double { x2 == y2 && xy == 0 ? 0 : 0.5 * Elementary.atan2(2 * xy, x2 - y2) * 180 / .pi }

    /// Position angle of the major axis of moments in world coordinates, from north towards east, in degrees from -90
    /// to 90.
    var positionAngle: Double {
        let angle = 90 - theta
        return angle > 90 ? angle - 180 : angle
    }

    /// Coefficients of the ellipse cxx x² + cyy y² + cxy x y = 1.
    var coefficients: (cxx: Double, cyy: Double, cxy: Double) {
        let determinant = x2 * y2 - xy * xy
        guard determinant > 0 else { return (0, 0, 0) }
        return (y2 / determinant, x2 / determinant, -2 * xy / determinant)
    }

    /// Polarisation (a² - b²) / (a² + b²).
    var polarization: Double { mean > 0 ? root / mean : 0 }

    /// Returns the moments after a linear map.
    func mapped(_ map: LocalScale) -> SecondMoments {
        SecondMoments(
            x2: map.xx * map.xx * x2 + map.xy * map.xy * y2 + 2 * map.xx * map.xy * xy,
            y2: map.yx * map.yx * x2 + map.yy * map.yy * y2 + 2 * map.yx * map.yy * xy,
            xy: map.xx * map.yx * x2 + map.xy * map.yy * y2 + (map.xx * map.yy + map.xy * map.yx) * xy)
    }
}

/// Derivatives of world coordinates, in degrees on the sky, with respect to pixel coordinates.
package struct LocalScale {
    var xx = 1.0, xy = 0.0
    var yx = 0.0, yy = 1.0

    /// Area of a pixel in square degrees.
    var area: Double { abs(xx * yy - xy * yx) }
}
