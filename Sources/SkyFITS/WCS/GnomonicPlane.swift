internal import CElementary

/// The gnomonic projection (TAN), alone or with the distortions of SIP or TPV, in Skyfarm's own arithmetic.
///
/// Nine of ten images have it. Unlike WCSLIB's, its coordinates do not depend on the C library. Formulas are those of
/// Calabretta and Greisen (2002), with the sphere's vectors in place of its angles.
struct GnomonicPlane {
    /// The pixel, from 1, and the matrix from pixels to degrees, row by row: first the longitude's row.
    private let (pixelX, pixelY): (Double, Double)
    private let matrix: (xx: Double, xy: Double, yx: Double, yy: Double)
    private let sip: PlaneMap?
    private let tpv: PlaneMap?
    /// Longitude of the pole of the projection, in degrees.
    private let longitude: Double
    /// Sine and cosine of the pole's latitude, and of the longitude of the sphere's pole in the projection.
    private let latitude: (sine: Double, cosine: Double)
    private let turn: (sine: Double, cosine: Double)

    /// The plane with a reference pixel, from 1, a matrix, distortions, the pole's longitude and latitude and the longitude
    /// of the sphere's pole, in degrees.
    init(
        pixel: (Double, Double), matrix: (xx: Double, xy: Double, yx: Double, yy: Double), sip: PlaneMap?,
        tpv: PlaneMap?, pole: (longitude: Double, latitude: Double, turn: Double)
    ) {
        (pixelX, pixelY) = pixel
        (self.matrix, self.sip, self.tpv) = (matrix, sip, tpv)
        longitude = pole.longitude
        (latitude, turn) = (Self.direction(pole.latitude), Self.direction(pole.turn))
    }

    /// Sine and cosine of an angle in degrees, exact for right angles.
    private static func direction(_ degrees: Double) -> (sine: Double, cosine: Double) {
        let quarters = (degrees / 90).rounded()
        if quarters * 90 == degrees {
            switch Int(quarters.truncatingRemainder(dividingBy: 4) + 4) % 4 {
            case 0: return (0, 1)
            case 1: return (1, 0)
            case 2: return (0, -1)
            default: return (-1, 0)
            }
        }
        let angle = degrees * .pi / 180
        return (Elementary.sin(angle), Elementary.cos(angle))
    }

    /// Longitude and latitude, in degrees, of a pixel position from 0.
    func world(x: Double, y: Double) -> (longitude: Double, latitude: Double) {
        var (u, v) = (x + 1 - pixelX, y + 1 - pixelY)
        if let sip { (u, v) = sip(u, v) }
        var (xi, eta) = (matrix.xx * u + matrix.xy * v, matrix.yx * u + matrix.yy * v)
        if let tpv { (xi, eta) = tpv(xi, eta) }
        guard xi.isFinite, eta.isFinite else { return (.nan, .nan) }
        (xi, eta) = (xi * .pi / 180, eta * .pi / 180)
        // Towards the sphere's pole, and across, in units of the component along the projection's axis.
        let north = xi * turn.sine - eta * turn.cosine
        let west = xi * turn.cosine + eta * turn.sine
        let along = latitude.cosine - latitude.sine * north
        return (
            longitude + Elementary.atan2(-west, along) * 180 / .pi,
            Elementary.atan2(
                latitude.sine + latitude.cosine * north, (along * along + west * west).squareRoot()) * 180 / .pi
        )
    }

    /// The pixel position, from 0, of a longitude and latitude in degrees; NaN for the other half of the sphere.
    func pixel(longitude: Double, latitude: Double) -> (x: Double, y: Double) {
        let difference = Self.direction((longitude - self.longitude).remainder(dividingBy: 360))
        let height = Self.direction(latitude)
        let (x, west) = (height.cosine * difference.cosine, -height.cosine * difference.sine)
        let axis = height.sine * self.latitude.sine + x * self.latitude.cosine
        guard axis > 0 else { return (.nan, .nan) }
        let north = (height.sine * self.latitude.cosine - x * self.latitude.sine) / axis
        let across = west / axis
        var (xi, eta) = (
            (north * turn.sine + across * turn.cosine) * 180 / .pi,
            (across * turn.sine - north * turn.cosine) * 180 / .pi
        )
        if let tpv { (xi, eta) = tpv.inverse(xi, eta) }
        let determinant = matrix.xx * matrix.yy - matrix.xy * matrix.yx
        var (u, v) = (
            (xi * matrix.yy - eta * matrix.xy) / determinant, (eta * matrix.xx - xi * matrix.yx) / determinant
        )
        if let sip { (u, v) = sip.inverse(u, v) }
        return (u + pixelX - 1, v + pixelY - 1)
    }
}
