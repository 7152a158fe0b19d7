/// A polynomial of two coordinates of a plane, and of odd powers of their distance from the origin.
struct PlanePolynomial {
    /// A coefficient and the powers of x, of y and of the distance.
    private var terms: [(coefficient: Double, x: Int, y: Int, distance: Int)] = []

    /// The polynomial A or B of SIP (Shupe et al. 2005), from its values by keyword.
    init(sip name: String, _ values: [String: Double]) {
        for x in 0...9 {
            for y in 0...9 - x {
                guard let coefficient = values["\(name)_\(x)_\(y)"], coefficient != 0 else { continue }
                terms.append((coefficient, x, y, 0))
            }
        }
    }

    /// The polynomial of an axis of TPV: its terms are numbered by their order, and those of an odd power of the distance
    /// follow the terms of that order.
    init(tpv axis: Int, _ values: [String: Double]) {
        var number = 0
        func add(_ x: Int, _ y: Int, _ distance: Int) {
            if let coefficient = values["PV\(axis)_\(number)"], coefficient != 0 {
                terms.append((coefficient, x, y, distance))
            }
            number += 1
        }
        for order in 0...7 {
            for y in 0...order { add(order - y, y, 0) }
            if order % 2 == 1 { add(0, 0, order) }
        }
    }

    /// The value, and its derivatives.
    func value(_ x: Double, _ y: Double) -> (value: Double, byX: Double, byY: Double) {
        let distance = (x * x + y * y).squareRoot()
        var (value, byX, byY) = (0.0, 0.0, 0.0)
        for term in terms {
            if term.distance > 0 {
                let power = Self.power(distance, term.distance)
                value += term.coefficient * power
                guard distance > 0 else { continue }
                let slope = term.coefficient * Double(term.distance) * power / (distance * distance)
                byX += slope * x
                byY += slope * y
            } else {
                let (left, right) = (Self.power(x, term.x), Self.power(y, term.y))
                value += term.coefficient * left * right
                if term.x > 0 { byX += term.coefficient * Double(term.x) * Self.power(x, term.x - 1) * right }
                if term.y > 0 { byY += term.coefficient * Double(term.y) * left * Self.power(y, term.y - 1) }
            }
        }
        return (value, byX, byY)
    }

    private static func power(_ x: Double, _ exponent: Int) -> Double {
        var result = 1.0
        for _ in 0..<exponent { result *= x }
        return result
    }
}

/// A map of the plane by two polynomials, and its inverse.
struct PlaneMap {
    private let first: PlanePolynomial
    private let second: PlanePolynomial
    /// Whether the polynomials are added to the coordinates.
    private let isAdded: Bool
    /// Whether the second polynomial takes the coordinates in the reverse order.
    private let isReversed: Bool

    /// SIP: corrections of pixels, relative to the reference pixel.
    init(sip values: [String: Double]) {
        (first, second) = (PlanePolynomial(sip: "A", values), PlanePolynomial(sip: "B", values))
        (isAdded, isReversed) = (true, false)
    }

    /// TPV: intermediate world coordinates in degrees, along the axis of the longitude and along the other.
    init(tpv values: [String: Double], longitudeAxis: Int, latitudeAxis: Int) {
        first = PlanePolynomial(tpv: longitudeAxis, values)
        second = PlanePolynomial(tpv: latitudeAxis, values)
        (isAdded, isReversed) = (false, true)
    }

    private typealias Derivatives = (xx: Double, xy: Double, yx: Double, yy: Double)

    private func mapped(_ x: Double, _ y: Double) -> (x: Double, y: Double, slopes: Derivatives) {
        let (u, v) = (first.value(x, y), isReversed ? second.value(y, x) : second.value(x, y))
        let (byX, byY) = isReversed ? (v.byY, v.byX) : (v.byX, v.byY)
        let one = isAdded ? 1.0 : 0
        return (
            u.value + one * x, v.value + one * y, (xx: u.byX + one, xy: u.byY, yx: byX, yy: byY + one)
        )
    }

    /// The image of a point.
    func callAsFunction(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        let result = mapped(x, y)
        return (result.x, result.y)
    }

    /// The point whose image is `x`, `y`, by Newton's method from that place; NaN if it does not converge.
    func inverse(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        var (u, v) = (x, y)
        for _ in 0..<30 {
            let image = mapped(u, v)
            let (dx, dy, s) = (x - image.x, y - image.y, image.slopes)
            let determinant = s.xx * s.yy - s.xy * s.yx
            let (du, dv) = ((dx * s.yy - dy * s.xy) / determinant, (dy * s.xx - dx * s.yx) / determinant)
            guard du.isFinite, dv.isFinite else { break }
            (u, v) = (u + du, v + dv)
            if max(abs(du), abs(dv)) <= 1e-14 * max(1, abs(u), abs(v)) { return (u, v) }
        }
        return (.nan, .nan)
    }
}
