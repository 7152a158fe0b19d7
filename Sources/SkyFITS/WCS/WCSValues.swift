/// The values of a header's primary world coordinate system.
struct WCSValues {
    /// The last valid value of each keyword.
    private(set) var values: [WCSKeyword: HeaderCard.Value] = [:]
    /// Keywords with a card whose value is malformed or has the wrong type.
    private var faults: Set<WCSKeyword> = []
    /// Whether SIP polynomials, if any, apply.
    private(set) var usesSIP = true
    /// Whether CRPIX1 or CRPIX2 occurs twice with different values.
    private var hasTwoReferencePixels = false

    /// Whether CRPIX1 and CRPIX2 have one value each.
    var hasOneReferencePixel: Bool {
        !hasTwoReferencePixels && (1...2).allSatisfy { values[.axisNumber("CRPIX", axis: $0)] != nil }
    }

    /// Upper limit of plausible numbers: with larger ones, a degree would be lost in the rounding of positions.
    private static let largest = 1e12

    init(_ cards: [HeaderCard]) {
        for card in cards {
            guard let keyword = WCSKeyword(card.keyword) else { continue }
            switch card.value {
            case .text(let text) where keyword.isText: set(keyword, .text(Self.trimmed(text)))
            case .number(let number, _) where !keyword.isText && abs(number) < Self.largest:
                set(keyword, card.value)
            // A string may be undefined. After an undefined number, WCSLIB would ignore the next card.
            case .undefined where keyword.isText: continue
            default: faults.insert(keyword)
            }
        }
    }

    private mutating func set(_ keyword: WCSKeyword, _ value: HeaderCard.Value) {
        let former = values.updateValue(value, forKey: keyword)
        if case .axisNumber("CRPIX", 1...2) = keyword, let former, former != value { hasTwoReferencePixels = true }
    }

    /// Removes leading spaces, as in a right-aligned string, and trailing spaces.
    private static func trimmed(_ text: String) -> String {
        let rest = text.drop { $0 == " " }
        return String(rest.prefix(rest.count - rest.reversed().prefix { $0 == " " }.count))
    }

    /// Returns CTYPEi without surrounding spaces.
    func type(of axis: Int) -> String? {
        guard case .text(let type) = values[.axisText("CTYPE", axis: axis)] else { return nil }
        return type
    }

    /// The longitude and latitude axes.
    var celestialAxes: [Int] {
        (1...WCSKeyword.maximumAxisCount).filter { type(of: $0).map(Self.isCelestial) ?? false }
    }

    /// Whether an axis is meant to be celestial, even if its CTYPE is malformed or in lower case.
    var isCelestialInIntent: Bool {
        (1...WCSKeyword.maximumAxisCount).contains { axis in
            faults.contains(.axisText("CTYPE", axis: axis))
                || type(of: axis).map { Self.isCelestial($0.uppercased()) } ?? false
        }
    }

    /// Whether a celestial axis is the longitude.
    func isLongitude(_ axis: Int) -> Bool {
        guard let name = type(of: axis).map(Self.quantity) else { return false }
        return name == "RA" || name.hasSuffix("LON") || name.hasSuffix("LN")
    }

    /// Returns the first part of a CTYPE: up to four characters before a hyphen.
    private static func quantity(_ type: String) -> Substring { type.prefix(4).prefix { $0 != "-" } }

    private static func isCelestial(_ type: String) -> Bool {
        let name = quantity(type)
        return name == "RA" || name == "DEC"
            || name.count == 4 && ["LON", "LAT", "LN", "LT"].contains { name.hasSuffix($0) }
    }

    /// Number of axes in the kept cards.
    var axisCount: Int {
        values.keys.reduce(2) { count, keyword in
            switch keyword {
            case .axisText(_, let axis), .axisNumber(_, let axis), .parameter(let axis, _): max(count, axis)
            case .matrix(_, let axis, let pixelAxis): max(count, axis, pixelAxis)
            default: count
            }
        }
    }

    /// Checks the values on which celestial positions depend.
    /// - Throws: ``WCSUnavailable``, if one of them is invalid or unsupported.
    func check() throws(WCSUnavailable) {
        let axes = celestialAxes
        for keyword in faults.sorted(by: { $0.name < $1.name }) where isEssential(keyword, axes) {
            let kind = keyword.isText ? "text" : "number"
            throw WCSUnavailable("the header's world coordinates are unusable: \(keyword.name) is not a valid \(kind)")
        }
        let forms = values.keys.map { key in
            switch key {
            case .oldParameter: 1
            case .parameter: 2
            default: 0
            }
        }
        if Set(forms).isSuperset(of: [1, 2]) {
            throw WCSUnavailable("the header's world coordinates are unusable: PROJPn and PVi_m contradict each other")
        }
        for axis in axes {
            let type = type(of: axis) ?? ""
            if type.hasSuffix("-TAB") {
                throw WCSUnavailable("the header's world coordinates are in a table (-TAB), which is not supported")
            }
            guard type.utf8.count <= 16 else {
                throw WCSUnavailable("the header's world coordinates are unusable: CTYPE\(axis) is too long")
            }
            if case .text(let unit) = values[.axisText("CUNIT", axis: axis)], !Self.isUnit(unit) {
                throw WCSUnavailable("the header's world coordinates are unusable: CUNIT\(axis) is no unit")
            }
        }
    }

    private func isEssential(_ keyword: WCSKeyword, _ axes: [Int]) -> Bool {
        let hasMatrix = { (name: String) in
            values.keys.contains { if case .matrix(name, _, _) = $0 { true } else { false } }
        }
        return switch keyword {
        case .axisText("CTYPE", let axis): axes.contains(axis) || axes.count < 2
        case .axisNumber("CRPIX", let axis): axis <= 2
        case .axisNumber("CDELT", let axis): axes.contains(axis) && !hasMatrix("CD")
        case .axisNumber("CROTA", let axis): axes.contains(axis) && !hasMatrix("CD") && !hasMatrix("PC")
        case .axisText(_, let axis), .axisNumber(_, let axis), .parameter(let axis, _): axes.contains(axis)
        case .matrix(_, let axis, let pixelAxis): axes.contains(axis) && pixelAxis <= 2
        case .oldParameter, .number("LONPOLE"), .number("LATPOLE"): true
        case .number, .text: false
        }
    }

    /// Decides between PVi_m parameters and SIP polynomials, as astropy 8 does.
    ///
    /// Before 2012, SCAMP wrote TPV coefficients with a CTYPE of TAN, and some pipelines add the same distortion as
    /// SIP.
    /// - Returns: notes for the user.
    mutating func resolveParameters(hasSIP: Bool) -> [String] {
        let axes = celestialAxes
        func all(_ ending: String) -> Bool {
            axes.count == 2 && axes.allSatisfy { type(of: $0)?.hasSuffix(ending) == true }
        }
        // TAN has at most PVi_4, which may place the pole of any projection.
        let hasSCAMP = values.keys.contains {
            if case .parameter(let axis, 5...) = $0 { axes.contains(axis) } else { false }
        }
        if all("-TAN"), hasSCAMP {
            for axis in axes {
                values[.axisText("CTYPE", axis: axis)] = type(of: axis).map { .text($0.dropLast(3) + "TPV") }
            }
            usesSIP = false
            return hasSIP ? ["SIP cards are not applied, since PV cards hold the distortion"] : []
        }
        if all("-TPV") {
            usesSIP = false
            return hasSIP ? ["SIP cards are not applied, since CTYPE says that PV cards hold the distortion (TPV)"] : []
        }
        guard hasSIP else { return [] }
        if all("-TAN-SIP"), hasSCAMP {
            values = values.filter { if case .parameter = $0.key { false } else { true } }
            return ["PV cards are not applied, since SIP cards hold the distortion"]
        }
        guard axes.contains(where: { type(of: $0)?.hasSuffix("-SIP") == false }) else { return [] }
        return [
            "SIP cards are applied although CTYPE lacks -SIP; if they are left over from before a resampling, "
                + "remove them: ra and dec are wrong otherwise"
        ]
    }

    /// The cards in FITS format, sorted by keyword.
    var cards: [String] {
        let axes = celestialAxes
        return values.compactMap { keyword, value in
            switch (keyword, value) {
            case (.axisText("CTYPE", let axis), .text(let text)):
                return axes.contains(axis) || text == "CUBEFACE" ? WCSCards.card(keyword.name, Self.quoted(text)) : nil
            case (.axisText(_, let axis), .text(let text)):
                return axes.contains(axis) ? WCSCards.card(keyword.name, Self.quoted(text)) : nil
            case (.text, .text(let text)):
                return text.utf8.count <= 16 ? WCSCards.card(keyword.name, Self.quoted(text)) : nil
            case (.parameter(let axis, _), _) where !axes.contains(axis): return nil
            case (_, .number(let number, _)): return WCSCards.card(keyword.name, "\(number)")
            default: return nil
            }
        }.sorted()
    }

    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

    /// Whether a text may be passed to WCSLIB's parser of units.
    private static func isUnit(_ text: String) -> Bool {
        text.utf8.count <= 20
            && text.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                    || " ./*-".unicodeScalars.contains($0)
            }
    }
}
