/// The header that is passed to WCSLIB: known cards, each once, with values of the right type.
///
/// WCSLIB 7.12 crashes on some headers, for example if a SIP coefficient is a string, so its parser never reads the
/// header of a file. Of repeated cards the last one counts, as in WCSLIB; of repeated SIP cards the first one, as in
/// astropy. Axes that are not celestial become linear.
struct WCSCards {
    /// The cards without END.
    private(set) var cards: [String] = []
    /// Notes for the user on how the header was interpreted, without the name of the file.
    private(set) var notes: [String] = []

    /// Selects and checks the cards of `header`.
    /// - Throws: ``WCSUnavailable``, if the header has no celestial axes, or invalid values.
    init(_ header: FITSHeader) throws(WCSUnavailable) {
        let all = header.valueCards
        let plain = all.filter { !$0.isHierarchical }
        var system = WCSValues(plain)
        let values = Dictionary(plain.map { ($0.keyword, $0.value) }) { first, _ in first }
        // astropy also accepts these in HIERARCH cards.
        let polynomials = Dictionary(all.map { ($0.keyword, $0.value) }) { first, _ in first }
        let axes = system.celestialAxes
        guard !axes.isEmpty || PlateSolution.isPresent(values) else {
            throw WCSUnavailable("the header has no celestial coordinates", isAbsent: !system.isCelestialInIntent)
        }
        try system.check()
        try Self.checkDistortion(values)
        let sip = try SIPDistortion(polynomials)
        if sip != nil, !system.hasOneReferencePixel {
            throw WCSUnavailable(
                "the SIP polynomials have no reference pixel, or two: CRPIX1 and CRPIX2 must occur once")
        }
        notes += system.resolveParameters(hasSIP: sip != nil)
        if let sip, system.usesSIP { cards += sip.cards }
        let types = Set(axes.compactMap { system.type(of: $0)?.suffix(4).lowercased() })
        for type in ["tnx", "zpx"] where types == ["-" + type] {
            let sides = axes.map { (axis: $0, isLongitude: system.isLongitude($0)) }
            cards += try WATDistortion(type, axes: sides, values).cards
        }
        cards += PlateSolution.cards(values)
        cards = [Self.card("WCSAXES", "\(system.axisCount)")] + system.cards + cards
    }

    /// Returns a card of a keyword and a formatted value.
    static func card(_ keyword: String, _ value: String) -> String {
        keyword + String(repeating: " ", count: max(0, 8 - keyword.utf8.count)) + "= " + value
    }

    /// Rejects distortions of draft paper IV other than look-up tables; WCSLIB reads them from text cards.
    private static func checkDistortion(_ values: [String: HeaderCard.Value]) throws(WCSUnavailable) {
        for axis in 1...WCSKeyword.maximumAxisCount {
            for key in ["CPDIS\(axis)", "CQDIS\(axis)"] {
                switch values[key] {
                case nil, .undefined: continue
                case .text(let type) where key.hasPrefix("CP") && type.lowercased() == "lookup": continue
                case .text(let type):
                    throw WCSUnavailable("the distortion '\(type)' of \(key) is not supported")
                default: throw WCSUnavailable("\(key) is no text")
                }
            }
        }
    }
}

/// The plate solution of the Digitized Sky Survey, which replaces other coordinates.
private enum PlateSolution {
    private static let single = [
        "CNPIX1", "CNPIX2", "PPO3", "PPO6", "XPIXELSZ", "YPIXELSZ", "PLTRAH", "PLTRAM", "PLTRAS", "PLTDECD", "PLTDECM",
        "PLTDECS",
    ]

    static func isPresent(_ values: [String: HeaderCard.Value]) -> Bool { !cards(values).isEmpty }

    /// Returns the cards of the solution, or none unless it is complete.
    static func cards(_ values: [String: HeaderCard.Value]) -> [String] {
        var cards: [String] = []
        guard case .text(let sign) = values["PLTDECSN"], ["+", "-"].contains(sign) else { return [] }
        // WCSLIB interprets a string of less than eight characters as a plus sign.
        cards.append(WCSCards.card("PLTDECSN", "'\(sign)       '"))
        for key in single + ["AMDX1", "AMDY1"] {
            guard case .number(let value, _) = values[key] else { return [] }
            cards.append(WCSCards.card(key, "\(value)"))
        }
        for key in (2...20).flatMap({ ["AMDX\($0)", "AMDY\($0)"] }) {
            guard case .number(let value, _) = values[key] else { continue }
            cards.append(WCSCards.card(key, "\(value)"))
        }
        return cards
    }
}
