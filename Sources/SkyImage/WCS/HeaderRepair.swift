/// Corrects common errors of pipelines in headers, so that WCSLIB interprets these as intended.
///
/// Three errors are common: SIP coefficients under a CTYPE without `-SIP`; SCAMP's PVi_m beside the same distortion as
/// SIP; and, from SCAMP before 2012, the coefficients of TPV under a CTYPE of TAN.
enum HeaderRepair {
    /// The cards of `header` to pass to WCSLIB.
    static func repaired(_ header: FITSHeader) -> FITSHeader { meant(legible(header)) }

    /// The cards with terminated strings and valid FITS characters only. WCSLIB 7.12 follows an unterminated string
    /// into the next card, and beyond its buffer.
    private static func legible(_ header: FITSHeader) -> FITSHeader {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(header.bytes.count)
        for start in stride(from: 0, to: header.bytes.count, by: FITSHeader.cardLength) {
            let card = header.bytes[start..<start + FITSHeader.cardLength].map { 0x20...0x7e ~= $0 ? $0 : 0x20 }
            if closesStrings(card) { bytes += card }
        }
        return FITSHeader(bytes: bytes)
    }

    /// Whether the value of a card is a terminated string or not a string at all.
    private static func closesStrings(_ card: [UInt8]) -> Bool {
        let (quote, sign) = (UInt8(ascii: "'"), UInt8(ascii: "="))
        let isContinued = card.starts(with: "CONTINUE".utf8)
        let value = isContinued ? card.dropFirst(8) : card.drop { $0 != sign }.dropFirst()
        var rest = value.drop { $0 == 0x20 }
        guard rest.popFirst() == quote else { return true }
        while let next = rest.firstIndex(of: quote) {
            rest = rest[(next + 1)...]
            // A doubled quote is a quote within a string.
            if rest.popFirst() != quote { return true }
        }
        return false
    }

    private static func meant(_ header: FITSHeader) -> FITSHeader {
        let keywords = (0..<header.count).map { header.keyword(at: $0) }
        let isSIP = keywords.contains("A_ORDER") && keywords.contains("B_ORDER")
        let isSCAMP = !isSIP && keywords.contains { isDistortion($0) }
        guard isSIP || isSCAMP else { return header }
        var bytes: [UInt8] = []
        for (index, keyword) in keywords.enumerated() {
            if isSIP && (keyword.hasPrefix("PV1_") || keyword.hasPrefix("PV2_")) { continue }
            let start = index * FITSHeader.cardLength
            var card = Array(header.bytes[start..<start + FITSHeader.cardLength])
            if keyword == "CTYPE1" || keyword == "CTYPE2" {
                changeType(in: &card) { type in
                    if isSIP { return type.count == 8 ? type + "-SIP" : type }
                    return type.hasSuffix("-TAN") ? type.dropLast(3) + "TPV" : type
                }
            }
            bytes += card
        }
        return FITSHeader(bytes: bytes)
    }

    /// Whether a keyword is a PVi_m that only TPV uses: those up to PVi_4 may place the pole of any projection.
    private static func isDistortion(_ keyword: String) -> Bool {
        guard keyword.hasPrefix("PV1_") || keyword.hasPrefix("PV2_"), let order = Int(keyword.dropFirst(4)) else {
            return false
        }
        return order >= 5
    }

    private static func changeType(in card: inout [UInt8], by change: (String) -> String) {
        let text = String(decoding: card, as: UTF8.self)
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return }
        let type = change(String(parts[1].prefix { $0 != " " }))
        let changed = Array("\(parts[0])'\(type)'".utf8.prefix(FITSHeader.cardLength))
        card = changed + [UInt8](repeating: UInt8(ascii: " "), count: FITSHeader.cardLength - changed.count)
    }
}
