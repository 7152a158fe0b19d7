package import SkyFITS

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

extension PreparedPixels {
    /// Measures apertures in the window, for the lifetime of the window; `gain` as ``ScanParameters/gain``. Positions are in
    /// image coordinates.
    package func photometer(gain: Double) -> Photometer {
        Photometer(field(gain: gain), mask: mask.map { UnsafePointer($0) })
    }

    /// Measures a source, given in image coordinates.
    ///
    /// `flux_auto` is the flux in the ellipse of ``ScanParameters/kronFactor`` Kron radii, but at least
    /// ``ScanParameters/kronMinimum`` semi-axes: source-extractor's rule for FLUX_AUTO. What SEP refuses to measure is
    /// NaN and has the flag ``Photometry/notMeasured``. A measurement is final if the window holds
    /// ``Measurement/needed``.
    package borrowing func measure(_ target: ApertureTarget, parameters: ScanParameters) -> Measurement {
        let meter = photometer(gain: parameters.gain)
        let apertureRadius = parameters.apertureRadius
        let (x, y) = (target.x, target.y)
        let largest = 6 * Double(target.a)
        let shape = EllipseShape(target)

        var result = Measurement(needed: PixelRect(x: 0..<0, y: 0..<0))
        (result.kronRadius, result.kronFlag) = meter.kronRadius(x: x, y: y, shape)
        let autoRadius = max(parameters.kronFactor * result.kronRadius, parameters.kronMinimum)
        let hasAuto = target.b > 0 && autoRadius > 0
        let whole = meter.ellipse(x: x, y: y, shape, radius: autoRadius)
        (result.fluxAuto, result.fluxErrAuto, result.flagAuto) = (whole.flux, whole.error, whole.flag)
        let circular = meter.circle(x: x, y: y, radius: apertureRadius)
        (result.fluxAper, result.fluxErrAper, result.flagAper) = (circular.flux, circular.error, circular.flag)
        result.fluxRadius = meter.halfFluxRadius(x: x, y: y, limit: largest)

        let ellipse = shape.halfSides(radius: max(Photometer.kronSearchRadius, hasAuto ? autoRadius : 0))
        let circle = max(apertureRadius, largest.isFinite ? largest : 0)
        result.needed = self.image.box(
            aroundX: x, y: y, halfWidth: max(ellipse.x, circle), halfHeight: max(ellipse.y, circle))
        return result
    }
}
