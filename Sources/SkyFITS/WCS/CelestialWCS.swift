internal import CWCS

/// A reason why a header gives no right ascension and declination, as a message for the user.
public struct WCSUnavailable: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason, without the name of the file.
    public var description: String
    /// Whether the header has no celestial coordinates at all, which is not a fault.
    package var isAbsent: Bool

    init(_ description: String, isAbsent: Bool = false) {
        (self.description, self.isAbsent) = (description, isAbsent)
    }
}

/// Converts pixel positions to right ascension and declination, with the world coordinate system of a FITS header.
///
/// All projections of WCSLIB are supported, with SIP, TPV, TNX and ZPX distortion; look-up tables are not applied. The
/// gnomonic projection, alone and with SIP or TPV, is computed by `GnomonicPlane`, with the same bits on all machines.
/// Equatorial coordinates stay in the header's system; galactic ones are converted to ICRS. Results equal those of
/// astropy's `WCS.all_pix2world` within 1e-8 degrees. `WCSCards` selects and checks the cards of the header, and
/// `WCSParameters` passes them to WCSLIB. WCSLIB keeps its workspace in its parameters, so an object may only be used
/// by one thread at a time.
public final class CelestialWCS {
    /// The celestial system of the header's longitude and latitude.
    public enum Frame: String, Sendable {
        /// Right ascension and declination.
        case equatorial
        /// Galactic longitude and latitude.
        case galactic
    }

    /// The celestial system of the header. Results of ``coordinates(x:y:)`` are equatorial in both cases.
    public let frame: Frame
    /// Reference system of the results of ``coordinates(x:y:)``, such as `ICRS` or `FK5`; ICRS for galactic headers.
    public let referenceSystem: String
    /// Notes for the user on how the header was interpreted, one line each, without the name of the file.
    public let notes: [String]

    private let parameters: WCSParameters
    private let plane: GnomonicPlane?

    /// Number of pixels per call of WCSLIB, which bounds its workspace.
    private static let chunk = 4096

    /// Sets up the primary world coordinate system of `header`.
    /// - Throws: ``WCSUnavailable``, if there is none, or it cannot be converted to right ascension and declination.
    public init(header: FITSHeader) throws(WCSUnavailable) {
        let cards = try WCSCards(header)
        notes = cards.notes
        parameters = try WCSParameters(cards)
        plane = parameters.gnomonicPlane(cards.cards)
        switch (parameters.longitudeType, parameters.latitudeType) {
        case ("RA", "DEC"): frame = .equatorial
        case ("GLON", "GLAT"): frame = .galactic
        case (let longitude, let latitude):
            throw WCSUnavailable(
                "the header's coordinates \(longitude) and \(latitude) are not equatorial or galactic")
        }
        referenceSystem = frame == .galactic ? "ICRS" : parameters.referenceSystem
    }

    /// Returns the celestial positions of pixels, which count from 0 at the centre of the first pixel.
    /// - Parameters:
    ///   - x: column positions.
    ///   - y: row positions, as many as `x`.
    /// - Returns: right ascension (0 to 360) and declination in degrees; NaN where the projection is undefined.
    public func coordinates(x: [Double], y: [Double]) -> (rightAscension: [Double], declination: [Double]) {
        coordinates(x: x, y: y, byLibrary: false)
    }

    /// Whether the coordinates have the same bits on all machines.
    package var isOwn: Bool { plane != nil }

    /// As ``coordinates(x:y:)``, or by WCSLIB in any case, for tests.
    package func coordinates(
        x: [Double], y: [Double], byLibrary: Bool
    ) -> (rightAscension: [Double], declination: [Double]) {
        precondition(x.count == y.count, "as many columns as rows")
        var ra: [Double] = []
        var dec: [Double] = []
        ra.reserveCapacity(x.count)
        dec.reserveCapacity(x.count)
        for start in stride(from: 0, to: x.count, by: Self.chunk) {
            let range = start..<min(start + Self.chunk, x.count)
            let own = byLibrary ? nil : plane.map { plane in range.map { plane.world(x: x[$0], y: y[$0]) } }
            for position in own ?? parameters.world(x: x[range], y: y[range]) {
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

    /// Returns the pixel positions of right ascensions and declinations, in degrees and in the frame of
    /// ``coordinates(x:y:)``.
    /// - Returns: columns and rows, from 0 at the centre of the first pixel; NaN where the projection is undefined.
    public func pixels(rightAscension: [Double], declination: [Double]) -> (x: [Double], y: [Double]) {
        precondition(rightAscension.count == declination.count, "as many right ascensions as declinations")
        var (x, y): ([Double], [Double]) = ([], [])
        for start in stride(from: 0, to: rightAscension.count, by: Self.chunk) {
            let range = start..<min(start + Self.chunk, rightAscension.count)
            var positions = range.map { (longitude: rightAscension[$0], latitude: declination[$0]) }
            if frame == .galactic {
                positions = positions.map {
                    GalacticFrame.galactic(rightAscension: $0.longitude, declination: $0.latitude)
                }
            }
            let own = plane.map { plane in
                positions.map { plane.pixel(longitude: $0.longitude, latitude: $0.latitude) }
            }
            for pixel in own
                ?? parameters.pixels(longitude: positions.map(\.longitude), latitude: positions.map(\.latitude))
            {
                x.append(pixel.x)
                y.append(pixel.y)
            }
        }
        return (x, y)
    }

    /// Normalises a longitude to the range 0 to 360 of catalogues. WCSLIB's longitudes may be negative or exceed 360,
    /// depending on the reference value.
    private func normalized(_ longitude: Double) -> Double {
        let rest = longitude.truncatingRemainder(dividingBy: 360)
        let turned = rest < 0 ? rest + 360 : rest
        return turned >= 360 ? turned - 360 : turned
    }
}
