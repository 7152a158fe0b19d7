/// The values of some cards of an image, from its header or else from the primary header that it inherits.
struct SelectedCards {
    private var values: [CardName: HeaderCard.Value] = [:]

    /// Reads the cards with these names. The first card of a name counts; one without a value is missing.
    init(_ names: [CardName], in header: FITSHeader, primary: FITSHeader?) {
        let inherit = CardName("INHERIT".utf8)
        let own = Self.values(of: names + [inherit], in: header)
        values = own.filter { $0.value != .undefined }
        guard let primary, own[inherit] != .logical(false) else { return }
        let rest = names.filter { own[$0] == nil && !$0.isStructural }
        if !rest.isEmpty { values.merge(Self.values(of: rest, in: primary)) { own, _ in own } }
    }

    /// The value of a card; nil if neither header has it.
    subscript(name: CardName) -> HeaderCard.Value? { values[name] }

    private static let hierarch = CardName.key("HIERARCH".utf8)
    private static let isCompressed = CardName.key("ZIMAGE".utf8)

    private static func values(of names: [CardName], in header: FITSHeader) -> [CardName: HeaderCard.Value] {
        var values: [CardName: HeaderCard.Value] = [:]
        let bytes = header.bytes
        let keys = stride(from: 0, to: bytes.count, by: FITSHeader.cardLength).map { CardName.key(bytes[$0..<$0 + 8]) }
        // The header of the table with its tiles has keywords of the table beside those of the image.
        let isTable = keys.contains(isCompressed)
        let wanted = names.map { (name: $0, key: isTable ? $0.keyInTable ?? $0.key : $0.key) }
        for (index, key) in keys.enumerated() {
            if key == hierarch {
                guard let name = Self.hierarchicalName(bytes, card: index), names.contains(name), values[name] == nil
                else { continue }
                values[name] = value(of: index, in: bytes)
            } else {
                for (name, wantedKey) in wanted where wantedKey == key && values[name] == nil {
                    guard let value = value(of: index, in: bytes) else { continue }
                    // A compressed image may have the EXTNAME of its table before its own.
                    if isTable, value == .text("COMPRESSED_IMAGE") { continue }
                    values[name] = value
                }
            }
        }
        return values
    }

    private static func card(_ index: Int) -> Range<Int> {
        index * FITSHeader.cardLength..<(index + 1) * FITSHeader.cardLength
    }

    /// The name on a HIERARCH card; nil if it has no value.
    private static func hierarchicalName(_ bytes: [UInt8], card index: Int) -> CardName? {
        let card = bytes[card(index)]
        guard let sign = card.firstIndex(of: UInt8(ascii: "=")), sign > card.startIndex + 9 else { return nil }
        return CardName(card[(card.startIndex + 8)..<sign])
    }

    /// The value on a card, with the cards that continue a string; nil for a card without a value, as a comment.
    private static func value(of index: Int, in bytes: [UInt8]) -> HeaderCard.Value? {
        var cards = Array(bytes[card(index)])
        if cards.starts(with: "HIERARCH".utf8), let sign = cards.firstIndex(of: UInt8(ascii: "=")) {
            // The value as on a card with a keyword: a name takes at least as much room.
            cards = Array("VALUE   = ".utf8) + cards[(sign + 1)...]
            cards += Array(repeating: 0x20, count: max(0, FITSHeader.cardLength - cards.count))
        }
        var next = index + 1
        while next * FITSHeader.cardLength < bytes.count, bytes[card(next)].starts(with: "CONTINUE".utf8) {
            cards += bytes[card(next)]
            next += 1
        }
        return FITSHeader(bytes: cards).valueCards.first?.value
    }
}
