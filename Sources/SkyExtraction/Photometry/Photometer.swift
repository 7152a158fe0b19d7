package import CSkyKernel
import SkyFITS

/// The flux in an aperture; not a number, with ``Photometry/notMeasured``, where SEP refuses to measure it.
package struct ApertureFlux {
    /// In the image's units. If the image has masked pixels, the mean of the others counts for those of the aperture.
    package var flux: Double
    /// Error of the flux, with the photon noise of the source if the gain is known.
    package var error: Double
    /// Error without that photon noise.
    package var noise: Double
    /// SEP's flags of apertures.
    package var flag: Int16
    /// Whether the aperture holds no part of a pixel.
    package var isEmpty: Bool

    fileprivate init(_ sum: skyfarm_flux) {
        (flux, error, noise, flag, isEmpty) = (sum.flux, sum.error, sum.noise, sum.flag, sum.is_empty)
    }

    fileprivate static var refused: ApertureFlux {
        ApertureFlux(
            skyfarm_flux(flux: .nan, error: .nan, noise: .nan, flag: Photometry.notMeasured, is_empty: false))
    }
}

/// Measures apertures in a field of pixels with SEP's definitions, and with its bits.
///
/// Positions are in pixels, in the coordinates in which the field has its origin. Valid as long as the field's memory.
package struct Photometer {
    private let field: skyfarm_field
    private let mask: UnsafePointer<UInt8>?

    /// SExtractor computes the Kron radius from the pixels within 6 semi-axes.
    package static let kronSearchRadius = 6.0

    /// A photometer of a field; `mask` has a byte per pixel, and is nil if no pixel of the image is masked.
    package init(_ field: skyfarm_field, mask: UnsafePointer<UInt8>?) {
        (self.field, self.mask) = (field, mask)
    }

    /// A position relative to the field's first pixel. Exact: the difference of a double and an integer below it needs no
    /// more bits.
    private func place(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        (x - Double(field.x), y - Double(field.y))
    }

    /// The Kron radius in units of the shape's semi-axes, and its flags; the radius is 0 if there is none.
    package func kronRadius(x: Double, y: Double, _ shape: EllipseShape) -> (radius: Double, flag: Int16) {
        let place = place(x, y)
        let kron = withUnsafePointer(to: field) { field in
            withUnsafePointer(to: shape.coefficients) { ellipse in
                skyfarm_kron_radius(field, mask, place.x, place.y, ellipse, Self.kronSearchRadius)
            }
        }
        return (kron.radius, kron.flag)
    }

    /// The flux in the ellipse of `radius` semi-axes, of whole pixels.
    package func ellipse(x: Double, y: Double, _ shape: EllipseShape, radius: Double) -> ApertureFlux {
        guard shape.isMeasurable, radius > 0 else { return .refused }
        let place = place(x, y)
        return withUnsafePointer(to: field) { field in
            withUnsafePointer(to: shape.coefficients) { ellipse in
                ApertureFlux(skyfarm_sum_ellipse(field, mask, place.x, place.y, ellipse, radius))
            }
        }
    }

    /// The flux in a circle, whose edge is divided into parts of 1/5 pixel.
    package func circle(x: Double, y: Double, radius: Double) -> ApertureFlux {
        if radius < 0 { return .refused }
        let place = place(x, y)
        return withUnsafePointer(to: field) { field in
            ApertureFlux(skyfarm_sum_circle(field, mask, place.x, place.y, radius))
        }
    }

    /// The radius in pixels of the circle that contains half of the flux within `limit` pixels; not a number if that is
    /// too small.
    ///
    /// Computed from a few sums over circles, of which no bit depends on the field's origin. Where the last bits of sums
    /// decide, and near a masked pixel, which changes the areas of rings, computed as SEP does: see
    /// ``fluxRadius(x:y:limit:flux:)``.
    package func halfFluxRadius(x: Double, y: Double, limit: Double) -> Double {
        if isUsual(limit), abs(x) < 1e9, abs(y) < 1e9, !hasMaskedPixel(x: x, y: y, radius: limit) {
            let radius = skyfarm_half_flux_radius(
                field.pixels, field.x, field.y, field.width, field.height, x, y, limit)
            if !radius.isNaN { return radius }
        }
        // With a smaller limit SEP's numbers of rings overflow.
        return limit < 1e-6 ? .nan : ringRadius(x, y, limit, nil)
    }

    /// The radius in pixels of the circle that contains `flux`; `limit` if none within that does.
    ///
    /// SEP adds up 64 rings of equal width, and interpolates in their sums.
    package func fluxRadius(x: Double, y: Double, limit: Double, flux: Double) -> Double {
        if mask == nil, isUsual(limit) {
            let radius = skyfarm_flux_radius(
                field.pixels, field.x, field.y, field.width, field.height, x, y, limit, flux)
            if !radius.isNaN { return radius }
        }
        return withUnsafePointer(to: flux) { ringRadius(x, y, limit, $0) }
    }

    /// Whether the sums over a few circles serve for radii within `limit`.
    private func isUsual(_ limit: Double) -> Bool { limit > 0.5 && limit < 1e5 }

    private func ringRadius(_ x: Double, _ y: Double, _ limit: Double, _ flux: UnsafePointer<Double>?) -> Double {
        let place = place(x, y)
        return withUnsafePointer(to: field) { skyfarm_ring_radius($0, mask, place.x, place.y, limit, flux) }
    }

    /// Looks no further than ``Measurement/needed`` reaches: windows that hold it give the same answer.
    private func hasMaskedPixel(x: Double, y: Double, radius: Double) -> Bool {
        guard let mask else { return false }
        let (left, top, width) = (Int(field.x), Int(field.y), Int(field.width))
        let rect = PixelRect(x: left..<left + width, y: top..<top + Int(field.height))
        let box = rect.box(aroundX: x, y: y, halfWidth: radius, halfHeight: radius)
        for row in box.y {
            let line = mask + (row - top) * width - left
            for column in box.x where line[column] != 0 { return true }
        }
        return false
    }
}
