internal import CSEP
internal import CSkyKernel

/// The flux in an aperture and its error; NaN with ``Photometry/notMeasured`` if SEP refuses to measure it.
struct ApertureFlux {
    var flux = 0.0
    var error = 0.0
    var flag: Int16 = 0

    fileprivate mutating func refuse() {
        (flux, error) = (.nan, .nan)
        flag |= Photometry.notMeasured
    }
}

/// Measures apertures in a window by Skyfarm's kernel, and by libsep where that is the kernel in use or where Skyfarm's
/// leaves it to libsep. Both give the same bits. Valid for the lifetime of the window; positions are relative to it.
struct ApertureMeter {
    private var image: sep_image
    private var field: skyfarm_field
    private let mask: UnsafePointer<UInt8>?
    private let isOwn = ScanKernel.current == .own

    init(_ window: borrowing ScanWindow, gain: Double) {
        image = window.sepImage(gain: gain)
        field = window.field(gain: gain)
        mask = window.mask.map { UnsafePointer($0) }
    }

    /// The Kron radius of the pixels within `radius` semi-axes, and its flag; the radius is 0 if there is none.
    mutating func kronRadius(x: Double, y: Double, _ shape: EllipseShape, radius: Double) -> (Double, Int16) {
        var result = (0.0, Int16(0))
        var ellipse = skyfarm_ellipse(cxx: shape.cxx, cyy: shape.cyy, cxy: shape.cxy, b: 1, r: radius)
        if isOwn, skyfarm_kron_radius(&field, mask, x, y, &ellipse, &result.0, &result.1) != 0 { return result }
        let status = sep_kron_radius(
            &image, x, y, shape.cxx, shape.cyy, shape.cxy, radius, 0, &result.0, &result.1)
        if status != 0 { result.0 = 0 }
        return result
    }

    /// The flux in the ellipse of `radius` semi-axes, of whole pixels; `shape` is that of the target.
    mutating func ellipse(
        x: Double, y: Double, _ target: ApertureTarget, _ shape: EllipseShape, radius: Double
    ) -> ApertureFlux {
        var (result, area) = (ApertureFlux(), 0.0)
        let (a, b) = (Double(target.a), Double(target.b))
        guard b > 0, radius > 0 else {
            result.refuse()
            return result
        }
        var ellipse = skyfarm_ellipse(cxx: shape.cxx, cyy: shape.cyy, cxy: shape.cxy, b: b, r: radius)
        if isOwn, a >= b, !target.theta.isNaN,
            skyfarm_sum_ellipse(&field, mask, x, y, &ellipse, &result.flux, &result.error, &result.flag) != 0
        {
            return result
        }
        let status = sep_sum_ellipse(
            &image, x, y, a, b, EllipseShape.angle(of: target), radius, 0, 1, 0, &result.flux, &result.error, &area,
            &result.flag)
        if status != 0 { result.refuse() }
        return result
    }

    /// The flux in a circle, whose edge is divided into parts of 1/5 pixel.
    mutating func circle(x: Double, y: Double, radius: Double) -> ApertureFlux {
        var (result, area) = (ApertureFlux(), 0.0)
        if isOwn, skyfarm_sum_circle(&field, mask, x, y, radius, &result.flux, &result.error, &result.flag) != 0 {
            return result
        }
        let status = sep_sum_circle(
            &image, x, y, radius, 0, 5, 0, &result.flux, &result.error, &area, &result.flag)
        if status != 0 { result.refuse() }
        return result
    }

    /// The radius of half of the flux within `limit`; NaN if SEP does not measure it.
    mutating func halfFluxRadius(x: Double, y: Double, limit: Double) -> Double {
        var (half, result, flag) = (0.5, 0.0, Int16(0))
        let status = sep_flux_radius(&image, x, y, limit, 0, 5, 0, nil, &half, 1, &result, &flag)
        return status == 0 ? result : .nan
    }
}
