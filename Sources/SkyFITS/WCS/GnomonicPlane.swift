internal import CElementary
internal import CWCS

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

    /// The plane of a system that WCSLIB has set up from these cards; nil for every other projection.
    init?(_ system: wcsprm, cards: [String]) {
        let (longitudeAxis, latitudeAxis, axes) = (Int(system.lng), Int(system.lat), Int(system.naxis))
        // Further axes, of a cube, must not turn the celestial ones.
        guard longitudeAxis + latitudeAxis == 1, let pixel = system.crpix, let pc = system.pc,
            (2..<max(2, axes)).allSatisfy({ pc[$0] == 0 && pc[axes + $0] == 0 }),
            let scale = system.cdelt, withUnsafeBytes(of: system.cel.prj.code, { $0.starts(with: "TAN".utf8) }),
            system.cel.theta0 == 90, system.cel.phi0 == 0, system.cel.offset == 0
        else { return nil }
        let values = Self.values(cards)
        let types = Set(cards.filter { $0.hasPrefix("CTYPE1 ") || $0.hasPrefix("CTYPE2 ") }.map(Self.projection))
        guard types.count == 1, let type = types.first else { return nil }
        let hasSIP = values.keys.contains("A_ORDER")
        switch (type, hasSIP) {
        case ("TAN", _), ("TAN-SIP", true): tpv = nil
        case ("TPV", false):
            tpv = PlaneMap(tpv: values, longitudeAxis: longitudeAxis + 1, latitudeAxis: latitudeAxis + 1)
        default: return nil
        }
        sip = hasSIP ? PlaneMap(sip: values) : nil
        (pixelX, pixelY) = (pixel[0], pixel[1])
        func element(_ row: Int, _ column: Int) -> Double { scale[row] * pc[axes * row + column] }
        matrix = (
            element(longitudeAxis, 0), element(longitudeAxis, 1), element(latitudeAxis, 0), element(latitudeAxis, 1)
        )
        longitude = system.cel.ref.0
        (latitude, turn) = (Self.direction(system.cel.ref.1), Self.direction(system.cel.ref.2))
    }

    /// The numbers of cards, by keyword.
    private static func values(_ cards: [String]) -> [String: Double] {
        Dictionary(
            cards.compactMap { card -> (String, Double)? in
                let parts = card.split(separator: "=", maxSplits: 1).map { $0.replacing(" ", with: "") }
                guard parts.count == 2, let value = Double(parts[1]) else { return nil }
                return (String(parts[0]), value)
            }
        ) { $1 }
    }

    /// The projection of a card such as `CTYPE1  = 'RA---TAN-SIP'`.
    private static func projection(_ card: String) -> String {
        let text = card.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first ?? ""
        return String(text.dropFirst(5)).replacing(" ", with: "")
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
