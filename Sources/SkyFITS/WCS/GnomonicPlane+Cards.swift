internal import CWCS

extension GnomonicPlane {
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
        let tpv: PlaneMap?
        let hasSIP = values.keys.contains("A_ORDER")
        switch (type, hasSIP) {
        case ("TAN", _), ("TAN-SIP", true): tpv = nil
        case ("TPV", false):
            tpv = PlaneMap(tpv: values, longitudeAxis: longitudeAxis + 1, latitudeAxis: latitudeAxis + 1)
        default: return nil
        }
        func element(_ row: Int, _ column: Int) -> Double { scale[row] * pc[axes * row + column] }
        let matrix = (
            xx: element(longitudeAxis, 0), xy: element(longitudeAxis, 1), yx: element(latitudeAxis, 0),
            yy: element(latitudeAxis, 1)
        )
        self.init(
            pixel: (pixel[0], pixel[1]), matrix: matrix, sip: hasSIP ? PlaneMap(sip: values) : nil, tpv: tpv,
            pole: (system.cel.ref.0, system.cel.ref.1, system.cel.ref.2))
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
}
