internal import CSEP
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

/// The photometry of one source.
package struct Measurement {
    package var kronRadius = 0.0
    package var kronFlag: Int16 = 0
    package var fluxAuto = Double.nan
    package var fluxErrAuto = Double.nan
    package var flagAuto: Int16 = 0
    package var fluxAper = 0.0
    package var fluxErrAper = 0.0
    package var flagAper: Int16 = 0
    package var fluxRadius = 0.0
    /// The part of the image that all apertures need together.
    package var needed: PixelRect
}

extension Photometry {
    /// Flag of a flux that is NaN because SEP cannot measure a source with this ellipse or position.
    package static var notMeasured: Int16 { 0x100 }

    package mutating func append(_ value: Measurement) {
        kronRadius.append(value.kronRadius)
        kronFlag.append(value.kronFlag)
        fluxAuto.append(value.fluxAuto)
        fluxErrAuto.append(value.fluxErrAuto)
        flagAuto.append(value.flagAuto)
        fluxAper.append(value.fluxAper)
        fluxErrAper.append(value.fluxErrAper)
        flagAper.append(value.flagAper)
        fluxRadius.append(value.fluxRadius)
    }
}

extension ScanWindow {
    // SExtractor computes the Kron radius from the pixels within 6 semi-axes.
    private static var kronSearchRadius: Double { 6 }

    // sep_flux_radius numbers 64 rings by Int32: with a smaller limit the number of a pixel's ring overflows, and a sum
    // is written outside of its array.
    private static var leastLimit: Double { 1e-6 }

    /// Measures a source, given in image coordinates.
    ///
    /// `flux_auto` is the flux in the ellipse of ``ScanParameters/kronFactor`` Kron radii, but at least
    /// ``ScanParameters/kronMinimum`` semi-axes: source-extractor's rule for FLUX_AUTO. What SEP refuses to measure is
    /// NaN and has the flag ``Photometry/notMeasured``. A measurement is final if the window holds
    /// ``Measurement/needed``.
    package borrowing func measure(_ target: ApertureTarget, parameters: ScanParameters) -> Measurement {
        var meter = ApertureMeter(self, gain: parameters.gain)
        let apertureRadius = parameters.apertureRadius
        // Exact: the difference of a double and an integer below it needs no more bits.
        let x = target.x - Double(rect.x.lowerBound)
        let y = target.y - Double(rect.y.lowerBound)
        let largest = 6 * Double(target.a)
        let shape = EllipseShape(target)

        var result = Measurement(needed: PixelRect(x: 0..<0, y: 0..<0))
        (result.kronRadius, result.kronFlag) = meter.kronRadius(x: x, y: y, shape, radius: Self.kronSearchRadius)
        let autoRadius = max(parameters.kronFactor * result.kronRadius, parameters.kronMinimum)
        let hasAuto = target.b > 0 && autoRadius > 0
        let whole = meter.ellipse(x: x, y: y, target, shape, radius: autoRadius)
        (result.fluxAuto, result.fluxErrAuto, result.flagAuto) = (whole.flux, whole.error, whole.flag)
        let circular = meter.circle(x: x, y: y, radius: apertureRadius)
        (result.fluxAper, result.fluxErrAper, result.flagAper) = (circular.flux, circular.error, circular.flag)
        if let radius = halfFluxRadius(x: target.x, y: target.y, limit: largest) {
            result.fluxRadius = radius
        } else {
            result.fluxRadius = largest < Self.leastLimit ? .nan : meter.halfFluxRadius(x: x, y: y, limit: largest)
        }

        let ellipse = shape.halfSides(radius: max(Self.kronSearchRadius, hasAuto ? autoRadius : 0))
        let circle = max(apertureRadius, largest.isFinite ? largest : 0)
        result.needed = self.image.box(
            aroundX: target.x, y: target.y, halfWidth: max(ellipse.x, circle), halfHeight: max(ellipse.y, circle))
        return result
    }
}

/// An ellipse cxx x² + cyy y² + cxy x y = r².
package struct EllipseShape {
    package var cxx: Double
    package var cyy: Double
    package var cxy: Double

    /// The shape of a source, with semi-axes of length 1 in units of its own.
    package init(_ target: ApertureTarget) {
        (cxx, cyy, cxy) = (0, 0, 0)
        sep_ellipse_coeffs(Double(target.a), Double(target.b), Self.angle(of: target), &cxx, &cyy, &cxy)
    }

    /// The position angle, within SEP's limits.
    package static func angle(of target: ApertureTarget) -> Double {
        min(max(Double(target.theta), -Double.pi / 2), Double.pi / 2)
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
