internal import CElementary
internal import CWCS

/// Owner of WCSLIB's `wcsprm` structures for one header.
final class WCSParameters {
    private var count: Int32 = 0
    private var systems: UnsafeMutablePointer<wcsprm>?
    /// The initialised primary system in `systems`.
    private let system: UnsafeMutablePointer<wcsprm>

    init(_ header: WCSCards) throws(WCSUnavailable) {
        var cards = FITSHeader(cards: header.cards).bytes.map { CChar(bitPattern: $0) }
        var rejected: Int32 = 0
        var count: Int32 = 0
        var systems: UnsafeMutablePointer<wcsprm>?
        let cardCount = Int32(cards.count / FITSHeader.cardLength)
        let status = wcspih(&cards, cardCount, WCSHDR_all, 0, &rejected, &count, &systems)
        do throws(WCSUnavailable) {
            guard status == 0 else {
                throw WCSUnavailable("the header's world coordinates cannot be parsed (status \(status))")
            }
            guard let systems else {
                throw WCSUnavailable("the header has no celestial coordinates")
            }
            system = try Self.primary(systems, count)
        } catch {
            wcsvfree(&count, &systems)
            throw error
        }
        (self.count, self.systems) = (count, systems)
    }

    deinit { wcsvfree(&count, &systems) }

    private static func primary(
        _ systems: UnsafeMutablePointer<wcsprm>, _ count: Int32
    ) throws(WCSUnavailable) -> UnsafeMutablePointer<wcsprm> {
        // The primary system has a blank alternate code.
        guard let index = (0..<Int(count)).first(where: { systems[$0].alt.0 == CChar(UInt8(ascii: " ")) }) else {
            throw WCSUnavailable("the header has no world coordinates")
        }
        let system = systems + index
        var fixes = [Int32](repeating: 0, count: Int(NWCSFIX))
        // Whatever cannot be fixed is reported by the set-up of the system below.
        _ = wcsfix(0, nil, system, &fixes)
        let status = wcsset(system)
        guard status == 0 else {
            let words = String(cString: skyfarm_wcs_words(status))
            throw WCSUnavailable("the header's world coordinates are unusable: \(words)")
        }
        guard system.pointee.naxis >= 2, system.pointee.lng >= 0, system.pointee.lat >= 0 else {
            throw WCSUnavailable("the header has no celestial coordinates")
        }
        return system
    }

    /// Type of the longitude axis, such as `RA` or `GLON`.
    var longitudeType: String { withUnsafeBytes(of: system.pointee.lngtyp, Self.text) }

    /// Type of the latitude axis, such as `DEC` or `GLAT`.
    var latitudeType: String { withUnsafeBytes(of: system.pointee.lattyp, Self.text) }

    /// RADESYS, or the default of the FITS standard if it is absent.
    var referenceSystem: String {
        let named = withUnsafeBytes(of: system.pointee.radesys, Self.text)
        if !named.isEmpty { return named }
        let equinox = system.pointee.equinox
        return equinox > 3000 || equinox < 1000 || equinox.isNaN ? "ICRS" : equinox < 1984 ? "FK4" : "FK5"
    }

    /// Returns longitude and latitude in degrees of 0-based pixel positions; NaN where they are undefined.
    func world(x: ArraySlice<Double>, y: ArraySlice<Double>) -> [(longitude: Double, latitude: Double)] {
        let (points, axes) = (x.count, Int(system.pointee.naxis))
        var pixels = [Double](repeating: 1, count: points * axes)
        for (index, (x, y)) in zip(x, y).enumerated() {
            pixels[index * axes] = x + 1
            pixels[index * axes + 1] = y + 1
        }
        var intermediate = [Double](repeating: 0, count: points * axes)
        var (phi, theta) = ([Double](repeating: 0, count: points), [Double](repeating: 0, count: points))
        var world = [Double](repeating: .nan, count: points * axes)
        var failures = [Int32](repeating: 1, count: points)
        let status = wcsp2s(
            system, Int32(points), Int32(axes), &pixels, &intermediate, &phi, &theta, &world, &failures)
        // Status 8: some positions are outside the projection; WCSLIB marks them.
        let isUsable = status == 0 || status == Int32(WCSERR_BAD_PIX.rawValue)
        let (longitude, latitude) = (Int(system.pointee.lng), Int(system.pointee.lat))
        return (0..<points).map { index in
            guard isUsable, failures[index] == 0 else { return (.nan, .nan) }
            return (world[index * axes + longitude], world[index * axes + latitude])
        }
    }

    /// Returns 0-based pixel positions of longitudes and latitudes in degrees; NaN where they are undefined.
    func pixels(longitude: [Double], latitude: [Double]) -> [(x: Double, y: Double)] {
        let (points, axes) = (longitude.count, Int(system.pointee.naxis))
        var world = [Double](repeating: 0, count: points * axes)
        for axis in 0..<axes {
            // Other axes keep their reference value.
            let reference = system.pointee.crval?[axis] ?? 0
            for index in 0..<points { world[index * axes + axis] = reference }
        }
        for index in 0..<points {
            world[index * axes + Int(system.pointee.lng)] = longitude[index]
            world[index * axes + Int(system.pointee.lat)] = latitude[index]
        }
        var (phi, theta) = ([Double](repeating: 0, count: points), [Double](repeating: 0, count: points))
        var intermediate = [Double](repeating: 0, count: points * axes)
        var pixels = [Double](repeating: .nan, count: points * axes)
        var failures = [Int32](repeating: 1, count: points)
        let status = wcss2p(
            system, Int32(points), Int32(axes), &world, &phi, &theta, &intermediate, &pixels, &failures)
        // Status 9: some positions are outside the projection; WCSLIB marks them.
        let isUsable = status == 0 || status == Int32(WCSERR_BAD_WORLD.rawValue)
        return (0..<points).map { index in
            guard isUsable, failures[index] == 0 else { return (.nan, .nan) }
            return (pixels[index * axes] - 1, pixels[index * axes + 1] - 1)
        }
    }

    /// Skyfarm's own form of the system, which was made from these cards, if it is a gnomonic projection. It is nil, too,
    /// if its positions around the reference pixel are not WCSLIB's, as with a distortion that it does not know.
    func gnomonicPlane(_ cards: [String]) -> GnomonicPlane? {
        guard let plane = GnomonicPlane(system.pointee, cards: cards), let pixel = system.pointee.crpix
        else { return nil }
        let offsets = [-211.0, 0.5, 307]
        let x = offsets.flatMap { _ in offsets.map { pixel[0] + $0 } }
        let y = offsets.flatMap { row in offsets.map { _ in pixel[1] + row } }
        let isEqual = zip(zip(x, y), world(x: x[...], y: y[...])).allSatisfy { place, expected in
            let found = plane.world(x: place.0, y: place.1)
            let across = (found.longitude - expected.longitude).remainder(dividingBy: 360)
            return abs(across * Elementary.cos(found.latitude * .pi / 180)) < 1e-9
                && abs(found.latitude - expected.latitude) < 1e-9
        }
        return isEqual ? plane : nil
    }

    private static func text(_ buffer: UnsafeRawBufferPointer) -> String {
        String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self).replacing(" ", with: "")
    }
}
