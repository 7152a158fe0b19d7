internal import CFITSIO

/// A look at the header of an HDU before CFITSIO goes there: while it reads the header it divides by the sides of a
/// compressed image's tiles, and copies names of columns into 70 bytes, however long they are.
extension FITSFile {
    /// Goes on to the HDU with this number, one by one if it lies behind the current one.
    /// - Returns: CFITSIO's status.
    func go(to number: Int32) -> Int32 {
        var status: Int32 = 0
        var current: Int32 = 0
        ffghdn(handle, &current)
        while status == 0, current < number {
            guard hasSoundNextHeader() else { return BAD_DIMEN }
            current += 1
            ffmahd(handle, current, nil, &status)
        }
        if status == 0 { ffmahd(handle, number, nil, &status) }
        return status
    }

    /// Whether the cards behind the current HDU hold no side below 1 and no name too long; true if there are none.
    private func hasSoundNextHeader() -> Bool {
        var (status, position): (Int32, Int64) = (0, 0)
        ffghadll(handle, nil, nil, &position, &status)
        // 0: the end of the file is reported.
        ffmbyt(handle, position, 0, &status)
        var bytes = [UInt8](repeating: 0, count: FITSHeader.cardLength)
        while status == 0 {
            // Card by card, as CFITSIO does: the file may end within a block.
            ffgbyt(handle, Int64(bytes.count), &bytes, &status)
            guard status == 0 else { break }
            let card = String(decoding: bytes, as: UTF8.self)
            if card.hasPrefix("END     ") { return true }
            if let side = Self.tileSide(card), !(side >= 1) { return false }
            if Self.hasLongWord(card) { return false }
        }
        return true
    }

    /// The value of a card that tells a side of the image or of its tiles; NaN if it is no number, nil for others.
    private static func tileSide(_ card: String) -> Double? {
        // CFITSIO takes the first word for the name, and the first one behind the sign for the value, whatever follows it.
        var words = card.uppercased().prefix { $0 != "=" }.split(separator: " ")
        if words.first == "HIERARCH" { words.removeFirst() }
        guard let name = words.first, name.hasPrefix("ZTILE") || name.hasPrefix("ZNAXIS"),
            name.last?.isNumber == true, card.contains("=")
        else { return nil }
        let word = card.drop { $0 != "=" }.dropFirst().prefix { $0 != "/" }.split(separator: " ").first
        return word.flatMap { Double($0) } ?? .nan
    }

    /// Whether a table's card has a longer value than a string between quotes can be.
    private static func hasLongWord(_ card: String) -> Bool {
        guard card.uppercased().hasPrefix("T"), let sign = card.firstIndex(of: "=") else { return false }
        let value = card[card.index(after: sign)...].drop { $0 == " " }
        return value.first != "'" && value.prefix { $0 != " " && $0 != "/" }.utf8.count > 68
    }
}
