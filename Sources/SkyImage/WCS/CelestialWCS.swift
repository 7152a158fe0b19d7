internal import CWCS

/// Why a header gives no right ascension and declination, in words for a user.
public struct WCSUnavailable: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason, without the name of the file.
    public var description: String
}

/// Pixel to right ascension and declination, by the world coordinate system of a FITS header through WCSLIB.
///
/// All projections of WCSLIB, with SIP and TPV distortion; equatorial coordinates as the header gives them, galactic
/// ones converted to ICRS. Results equal those of astropy's `WCS.all_pix2world` within 1e-8 degrees. WCSLIB keeps work
/// space in its parameters: one thread at a time.
public final class CelestialWCS {
    /// What the header's longitude and latitude are.
    public enum Frame: String, Sendable {
        /// Right ascension and declination.
        case equatorial
        /// Galactic longitude and latitude.
        case galactic
    }

    /// The frame of the header. What ``coordinates(x:y:)`` returns is equatorial in either case.
    public let frame: Frame
    /// Reference system of what ``coordinates(x:y:)`` returns, such as `ICRS` or `FK5`; galactic ones become ICRS.
    public let referenceSystem: String

    private let parameters: WCSParameters

    /// Pixels handed to WCSLIB at a time: bounds the work space.
    private static let chunk = 4096

    /// Sets up the primary world coordinate system of `header`.
    /// - Throws: ``WCSUnavailable``, if it has none, or none that leads to right ascension and declination.
    public init(header: FITSHeader) throws(WCSUnavailable) {
        parameters = try WCSParameters(header: header)
        switch (parameters.longitudeType, parameters.latitudeType) {
        case ("RA", "DEC"): frame = .equatorial
        case ("GLON", "GLAT"): frame = .galactic
        case (let longitude, let latitude):
            throw WCSUnavailable(
                description: "the header's coordinates \(longitude) and \(latitude) are not equatorial or galactic")
        }
        referenceSystem = frame == .galactic ? "ICRS" : parameters.referenceSystem
    }

    /// Sky positions of pixel positions, which count from 0 at the centre of the first pixel.
    /// - Parameters:
    ///   - x: Columns.
    ///   - y: Rows, as many.
    /// - Returns: Right ascension (0 to 360) and declination in degrees; NaN where the projection has no value.
    public func coordinates(x: [Double], y: [Double]) -> (rightAscension: [Double], declination: [Double]) {
        precondition(x.count == y.count, "as many columns as rows")
        var ra: [Double] = []
        var dec: [Double] = []
        ra.reserveCapacity(x.count)
        dec.reserveCapacity(x.count)
        for start in stride(from: 0, to: x.count, by: Self.chunk) {
            let range = start..<min(start + Self.chunk, x.count)
            for position in parameters.world(x: x[range], y: y[range]) {
                let equatorial =
                    frame == .galactic
                    ? GalacticFrame.equatorial(longitude: position.longitude, latitude: position.latitude)
                    : position
                ra.append(normalized(equatorial.longitude))
                dec.append(equatorial.latitude)
            }
        }
        return (ra, dec)
    }

    /// WCSLIB's longitudes follow the reference value, its sign and its turns; a catalogue's run from 0 to 360.
    private func normalized(_ longitude: Double) -> Double {
        let rest = longitude.truncatingRemainder(dividingBy: 360)
        let turned = rest < 0 ? rest + 360 : rest
        return turned >= 360 ? turned - 360 : turned
    }
}
