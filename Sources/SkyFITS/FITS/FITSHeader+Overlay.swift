extension FITSHeader {
    /// Parses a header file for an image, with one card per line. Each line `END` ends the header of one of its images.
    public static func headers(parsing text: String) -> [FITSHeader] {
        var headers: [FITSHeader] = []
        var cards: [String] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let card = Self.card(line)
            if card.prefix(8).split(separator: " ") == ["END"] {
                headers.append(FITSHeader(cards: cards))
                cards = []
            } else {
                cards.append(card)
            }
        }
        return cards.isEmpty ? headers : headers + [FITSHeader(cards: cards)]
    }

    /// Converts a line, which may have been written by hand, to a card: tabs become spaces, and the value is moved to
    /// its column.
    private static func card(_ line: Substring) -> String {
        let text = String(
            line.unicodeScalars.map { $0 == "\t" ? " " : $0.isASCII && $0 >= " " ? Character($0) : "?" })
        let parts = text.split(separator: "=", maxSplits: 1)
        guard line.contains("\t"), parts.count == 2 else { return text }
        let keyword = parts[0].split(separator: " ")
        guard keyword.count == 1, keyword[0].count <= 8 else { return text }
        let value = parts[1].drop { $0 == " " }
        let blanks = String(repeating: " ", count: 8 - keyword[0].count)
        return "\(keyword[0])\(blanks)= \(value)"
    }

    /// Returns this header with its cards replaced by those of another header with the same keywords.
    ///
    /// If the other header has world coordinates, none of this header's remain. Comments, and the cards that describe
    /// how samples are stored, are not copied from it.
    public func overlaid(by other: FITSHeader) -> FITSHeader {
        let added = other.keywords.enumerated().filter { !Self.isFixed($1) }
        let names = Set(added.map(\.element))
        let hasCoordinates = names.contains("CTYPE1")
        let kept = keywords.enumerated().filter { _, name in
            name != "END" && !names.contains(name) && !(hasCoordinates && Self.isCoordinate(name))
        }
        return FITSHeader(cards: kept.map { self[$0.offset] } + added.map { other[$0.offset] })
    }

    private var keywords: [String] { (0..<count).map(keyword(at:)) }

    private static func isFixed(_ name: String) -> Bool {
        [
            "", "COMMENT", "HISTORY", "END", "SIMPLE", "XTENSION", "BITPIX", "EXTEND", "PCOUNT", "GCOUNT", "BSCALE",
            "BZERO",
        ]
        .contains(name) || name.hasPrefix("NAXIS")
    }

    private static func isCoordinate(_ name: String) -> Bool {
        let axes = ["CTYPE", "CRVAL", "CRPIX", "CDELT", "CROTA", "CUNIT"]
        let matrices = ["CD", "PC", "PV", "PS", "A_", "B_", "AP_", "BP_", "WAT"]
        let distortions = ["CPDIS", "CQDIS", "CPERR", "D2IM", "DP1", "DP2", "DQ1", "DQ2", "AXISCORR", "PROJP"]
        let single = ["WCSAXES", "LONPOLE", "LATPOLE", "EQUINOX", "EPOCH", "RADESYS", "RADECSYS"]
        return single.contains(name) || (axes + distortions).contains { name.hasPrefix($0) }
            || matrices.contains { prefix in name.hasPrefix(prefix) && name.contains("_") }
    }
}
