internal import CElementary
public import SkyFITS

extension SyntheticSky {
    /// The cards of the image's world coordinates, in a gnomonic (TAN) projection, and of the parameters of the sky.
    public var header: [HeaderEntry] {
        let scale = parameters.pixelScale
        return [
            HeaderEntry("WCSAXES", .integer(2)),
            HeaderEntry("CTYPE1", .text("RA---TAN")), HeaderEntry("CTYPE2", .text("DEC--TAN")),
            HeaderEntry("CUNIT1", .text("deg")), HeaderEntry("CUNIT2", .text("deg")),
            HeaderEntry("CRPIX1", .real(referencePixel.x + 1)), HeaderEntry("CRPIX2", .real(referencePixel.y + 1)),
            HeaderEntry("CRVAL1", .real(parameters.rightAscension)),
            HeaderEntry("CRVAL2", .real(parameters.declination)),
            HeaderEntry("CD1_1", .real(-scale)), HeaderEntry("CD1_2", .real(0)),
            HeaderEntry("CD2_1", .real(0)), HeaderEntry("CD2_2", .real(scale)),
            HeaderEntry("RADESYS", .text("ICRS")), HeaderEntry("EQUINOX", .real(2000)),
            HeaderEntry("BUNIT", .text("adu")),
            HeaderEntry("GAIN", .real(parameters.gain), comment: "electrons per adu"),
            HeaderEntry("RDNOISE", .real(parameters.readNoise), comment: "electrons"),
            HeaderEntry("SATURATE", .real(parameters.saturation), comment: "adu"),
            HeaderEntry("MAGZERO", .real(parameters.zeroPoint), comment: "magnitude of 1 adu"),
            HeaderEntry("SEEING", .real(parameters.fwhm), comment: "full width at half maximum, pixels"),
            HeaderEntry("SEED", .text(String(parameters.seed)), comment: "of all random numbers"),
        ]
    }

    /// The 0-based reference pixel, at ``Parameters/rightAscension`` and ``Parameters/declination``.
    private var referencePixel: (x: Double, y: Double) {
        (Double(parameters.width - 1) / 2, Double(parameters.height - 1) / 2)
    }

    /// Returns right ascension and declination, in degrees, of a 0-based pixel position: the inverse of the gnomonic
    /// projection (Calabretta and Greisen 2002).
    public func skyPosition(x: Double, y: Double) -> (rightAscension: Double, declination: Double) {
        let degree = Double.pi / 180
        let xi = -(x - referencePixel.x) * parameters.pixelScale * degree
        let eta = (y - referencePixel.y) * parameters.pixelScale * degree
        let declination = parameters.declination * degree
        let denominator = Elementary.cos(declination) - eta * Elementary.sin(declination)
        let difference = Elementary.atan2(xi, denominator)
        let height = Elementary.sin(declination) + eta * Elementary.cos(declination)
        let rightAscension = (parameters.rightAscension + difference / degree)
            .truncatingRemainder(dividingBy: 360)
        return (
            rightAscension < 0 ? rightAscension + 360 : rightAscension,
            Elementary.atan2(height, (xi * xi + denominator * denominator).squareRoot()) / degree
        )
    }
}
