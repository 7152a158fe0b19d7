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
            status = nextHeaderFault()
            guard status == 0 else { break }
            current += 1
            ffmahd(handle, current, nil, &status)
        }
        if status == 0 { ffmahd(handle, number, nil, &status) }
        return status
    }

    /// Reads the cards behind the current HDU.
    /// - Returns: `BAD_DIMEN` if they hold a side below 1 or a name too long, `END_OF_FILE` if the file ends among them: what
    ///   CFITSIO does with half a block depends on what it read before. 0 if all is well, or nothing comes.
    private func nextHeaderFault() -> Int32 {
        var (status, position): (Int32, Int64) = (0, 0)
        ffghadll(handle, nil, nil, &position, &status)
        if status != 0 || position >= byteCount { return 0 }
        var block = [UInt8](repeating: 0, count: FITSMemoryFile.blockLength)
        while position + Int64(block.count) <= byteCount {
            // 0: the end of the file is reported.
            ffmbyt(handle, position, 0, &status)
            ffgbyt(handle, Int64(block.count), &block, &status)
            guard status == 0 else { break }
            position += Int64(block.count)
            for start in stride(from: 0, to: block.count, by: FITSHeader.cardLength) {
                let card = String(decoding: block[start..<start + FITSHeader.cardLength], as: UTF8.self)
                if card.hasPrefix("END     ") { return 0 }
                if let side = Self.tileSide(card), !(side >= 1) { return BAD_DIMEN }
                if Self.hasLongWord(card) { return BAD_DIMEN }
            }
        }
        return END_OF_FILE
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
