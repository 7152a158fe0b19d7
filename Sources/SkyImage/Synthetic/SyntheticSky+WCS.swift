import Foundation

extension SyntheticSky {
    /// Where on the sky the image lies: a card of a FITS header each, in a gnomonic (TAN) projection.
    public var wcsKeywords: [(name: String, value: WCSValue)] {
        let scale = parameters.pixelScale
        return [
            ("WCSAXES", .integer(2)), ("CTYPE1", .text("RA---TAN")), ("CTYPE2", .text("DEC--TAN")),
            ("CUNIT1", .text("deg")), ("CUNIT2", .text("deg")),
            ("CRPIX1", .number(referencePixel.x + 1)), ("CRPIX2", .number(referencePixel.y + 1)),
            ("CRVAL1", .number(parameters.rightAscension)), ("CRVAL2", .number(parameters.declination)),
            ("CD1_1", .number(-scale)), ("CD1_2", .number(0)), ("CD2_1", .number(0)), ("CD2_2", .number(scale)),
            ("RADESYS", .text("ICRS")), ("EQUINOX", .number(2000)),
        ]
    }

    /// Value of a header's keyword.
    public enum WCSValue: Equatable, Sendable {
        /// A whole number.
        case integer(Int)
        /// A number.
        case number(Double)
        /// A text.
        case text(String)
    }

    /// The 0-based pixel that ``Parameters/rightAscension`` and ``Parameters/declination`` belong to.
    private var referencePixel: (x: Double, y: Double) {
        (Double(parameters.width - 1) / 2, Double(parameters.height - 1) / 2)
    }

    /// Right ascension and declination, in degrees, of a 0-based pixel position: the inverse of the gnomonic projection
    /// (Calabretta and Greisen 2002).
    public func skyPosition(x: Double, y: Double) -> (rightAscension: Double, declination: Double) {
        let degree = Double.pi / 180
        let xi = -(x - referencePixel.x) * parameters.pixelScale * degree
        let eta = (y - referencePixel.y) * parameters.pixelScale * degree
        let declination = parameters.declination * degree
        let denominator = cos(declination) - eta * sin(declination)
        let difference = atan2(xi, denominator)
        let height = sin(declination) + eta * cos(declination)
        let rightAscension = (parameters.rightAscension + difference / degree)
            .truncatingRemainder(dividingBy: 360)
        return (
            rightAscension < 0 ? rightAscension + 360 : rightAscension,
            atan2(height, hypot(xi, denominator)) / degree
        )
    }
}
