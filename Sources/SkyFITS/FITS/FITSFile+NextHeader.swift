internal import CFITSIO

/// Checks of the header of an HDU before CFITSIO parses it. While parsing, CFITSIO divides by the tile sides of a
/// compressed image and by the block size of a Rice code, and copies column names and malformed integers into buffers
/// that may be too small.
extension FITSFile {
    /// Moves to the HDU with this number; one HDU at a time if it is after the current one and its position is unknown.
    /// - Returns: CFITSIO's status.
    package func go(to number: Int32) -> Int32 {
        var status: Int32 = 0
        var current: Int32 = 0
        ffghdn(handle, &current)
        if current < number, Int(number) <= starts.count {
            status = headerFault(at: starts[Int(number) - 1])
            current = number
        }
        while status == 0, current < number {
            status = nextHeaderFault()
            guard status == 0 else { break }
            current += 1
            ffmahd(handle, current, nil, &status)
        }
        if status == 0 { ffmahd(handle, number, nil, &status) }
        return status
    }

    /// Checks the header after the current HDU.
    /// - Returns: the result of ``headerFault(at:)``.
    private func nextHeaderFault() -> Int32 {
        var (status, position): (Int32, Int64) = (0, 0)
        ffghadll(handle, nil, nil, &position, &status)
        return status == 0 ? headerFault(at: position) : 0
    }

    /// Checks the header at `position`.
    /// - Returns: `BAD_DIMEN` if it has a side or block size below 1, or a name or integer that is too long;
    ///   `END_OF_FILE` if the file ends within the header, because CFITSIO's handling of a partial block depends on
    ///   what it read before; 0 if it is valid, or no HDU follows.
    private func headerFault(at position: Int64) -> Int32 {
        var (status, position): (Int32, Int64) = (0, position)
        if position >= byteCount { return 0 }
        var block = [UInt8](repeating: 0, count: FITSMemoryFile.blockLength)
        let start = position
        var (isRice, hasEmptyBlocks) = (false, false)
        while position + Int64(block.count) <= byteCount {
            // With 0, CFITSIO reports the end of the file.
            ffmbyt(handle, position, 0, &status)
            ffgbyt(handle, Int64(block.count), &block, &status)
            guard status == 0 else { break }
            // There may be many bytes after the last HDU.
            if position == start, start > 0, !block.starts(with: HDULength.extensionStart) { return END_OF_FILE }
            guard position - start < HDULength.maximumBlockCount * block.count else { return END_OF_FILE }
            position += Int64(block.count)
            for start in stride(from: 0, to: block.count, by: FITSHeader.cardLength) {
                let bytes = block[start..<start + FITSHeader.cardLength]
                guard Self.isExamined(bytes) else { continue }
                // Each byte becomes one character: in UTF-8, an accent would combine with the character before it.
                let card = String(decoding: bytes.map { UInt16($0) }, as: UTF16.self)
                if card.hasPrefix("END     ") { return isRice && hasEmptyBlocks ? BAD_DIMEN : 0 }
                if Self.hasLongWord(card) { return BAD_DIMEN }
                guard let name = Self.name(card) else { continue }
                if Self.isInteger(name), Self.valueLength(card) > Self.integerLength { return BAD_DIMEN }
                switch name {
                case "ZCMPTYPE": isRice = isRice || card.contains("RICE")
                // For other compression types, 0 is allowed.
                case "ZVAL1": hasEmptyBlocks = hasEmptyBlocks || !(Self.number(card) >= 1)
                default: if Self.isSide(name), !(Self.number(card) >= 1) { return BAD_DIMEN }
                }
            }
        }
        return END_OF_FILE
    }

    /// Whether a card may need a check or be the END card, judged by its first letter.
    private static func isExamined(_ card: ArraySlice<UInt8>) -> Bool {
        guard let first = card.first(where: { $0 != UInt8(ascii: " ") }) else { return false }
        // Covers ZTILE1 and similar keywords, TFORM1, BLANK, HIERARCH and END.
        return "ztbhe".utf8.contains(first | 0x20)
    }

    /// Returns the keyword of a card with a value as CFITSIO finds it: the first word, whatever follows it.
    private static func name(_ card: String) -> Substring? {
        guard let sign = card.firstIndex(of: "=") else { return nil }
        var words = card[..<sign].uppercased().split(separator: " ")
        if words.first == "HIERARCH" { words.removeFirst() }
        return words.first
    }

    /// Returns the number in a card: the first word after the equals sign. The result is NaN if the word is not a
    /// number or is one that CFITSIO cannot parse, in which case it uses 0 for a side.
    private static func number(_ card: String) -> Double {
        let word = card.drop { $0 != "=" }.dropFirst().prefix { $0 != "/" }.split(separator: " ").first ?? ""
        guard word.allSatisfy({ "0123456789+-.eE".contains($0) }), let number = Double(word) else { return .nan }
        return number <= Double(Int32.max) ? number : .nan
    }

    /// Whether a keyword gives a side of a compressed image or of its tiles.
    private static func isSide(_ name: Substring) -> Bool {
        (name.hasPrefix("ZTILE") || name.hasPrefix("ZNAXIS")) && name.last?.isNumber == true
    }

    /// Whether CFITSIO parses the values of a keyword as integers when it opens a compressed image.
    private static func isInteger(_ name: Substring) -> Bool {
        ["ZVAL", "ZTILE", "ZNAXIS", "ZBITPIX", "ZDITHER0", "ZBLANK", "BLANK"].contains { name.hasPrefix($0) }
    }

    /// Returns an upper bound of the number of characters that CFITSIO may take as the value of a card.
    private static func valueLength(_ card: String) -> Int {
        let value = card.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst().drop { $0 == UInt8(ascii: " ") }
        // Strings and complex numbers may contain spaces.
        guard let first = value.first, ![UInt8(ascii: "'"), UInt8(ascii: "(")].contains(first) else {
            return value.count
        }
        return value.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "/") }.count
    }

    /// Whether a table keyword has a value longer than the longest quoted string.
    private static func hasLongWord(_ card: String) -> Bool {
        guard card.first == "T" || card.first == "t", let sign = card.firstIndex(of: "=") else { return false }
        let value = card[card.index(after: sign)...].drop { $0 == " " }
        return value.first != "'" && value.prefix { $0 != " " && $0 != "/" }.utf8.count > 68
    }
}
