/// The keyword and the value of a card, according to FITS 4.0, section 4.
package struct HeaderCard {
    package enum Value: Equatable {
        /// A string without its trailing spaces.
        case text(String)
        /// A number, with its original characters.
        case number(Double, String)
        case logical(Bool)
        /// The card has no value.
        case undefined
        /// An unterminated string, a number beyond the range of a double, or other characters.
        case malformed
    }

    /// The keyword in capitals.
    package var keyword: String
    package var value: Value
    /// Whether the keyword follows HIERARCH.
    var isHierarchical = false

    /// Parses a card. Characters that FITS does not allow count as spaces. Nil for a card without a value, such as a
    /// comment.
    package init?(_ bytes: some Sequence<UInt8>) {
        let card = bytes.map { 0x20...0x7e ~= $0 ? $0 : 0x20 }
        if card.starts(with: "HIERARCH ".utf8) {
            guard let sign = card.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            keyword = Self.text(card[9..<sign])
            if keyword.contains(" ") { return nil }
            (value, isHierarchical) = (Self.value(card[(sign + 1)...]), true)
            return
        }
        guard card.count > 9, card[8] == UInt8(ascii: "=") else { return nil }
        keyword = Self.text(card[..<8]).uppercased()
        // An equals sign that is not followed by a space does not indicate a value.
        value = card[9] == 0x20 ? Self.value(card[9...]) : .malformed
    }

    /// Parses the characters after the equals sign.
    package static func value(_ field: ArraySlice<UInt8>) -> Value {
        let value = field.drop { $0 == 0x20 }
        if value.first == UInt8(ascii: "'") { return string(value.dropFirst()) }
        let word = text(value.prefix { $0 != UInt8(ascii: "/") })
        switch word {
        case "": return .undefined
        case "T": return .logical(true)
        case "F": return .logical(false)
        default: return number(word).map { .number($0, word) } ?? .malformed
        }
    }

    /// Parses a number; nil if it is invalid or beyond the range of a double.
    package static func number(_ word: some StringProtocol) -> Double? {
        // Swift also accepts "inf" and hexadecimal numbers, but no D before an exponent.
        guard word.utf8.allSatisfy(isNumeric), let number = Double(word.uppercased().replacing("D", with: "E")) else {
            return nil
        }
        return number.isFinite ? number : nil
    }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "+-.eEdD".utf8.contains(byte)
    }

    /// Parses the characters after an opening quote.
    private static func string(_ characters: ArraySlice<UInt8>) -> Value {
        let quote = UInt8(ascii: "'")
        var (text, rest): ([UInt8], ArraySlice<UInt8>) = ([], characters)
        while let end = rest.firstIndex(of: quote) {
            text += rest[..<end]
            rest = rest[(end + 1)...]
            // A doubled quote stands for a quote within the string.
            if rest.first != quote {
                let next = rest.first { $0 != 0x20 }
                return next == nil || next == UInt8(ascii: "/") ? .text(withoutTrailingSpaces(text)) : .malformed
            }
            text.append(quote)
            rest = rest.dropFirst()
        }
        return .malformed
    }

    private static func withoutTrailingSpaces(_ bytes: [UInt8]) -> String {
        String(decoding: bytes[..<(bytes.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? 0)], as: UTF8.self)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let start = bytes.drop { $0 == 0x20 }
        return withoutTrailingSpaces(Array(start))
    }
}

extension FITSHeader {
    /// The cards with values, in order. A string that is extended by CONTINUE cards is one value.
    package var valueCards: [HeaderCard] {
        var cards: [HeaderCard] = []
        for start in stride(from: 0, to: bytes.count, by: Self.cardLength) {
            let card = bytes[start..<start + Self.cardLength]
            if card.starts(with: "CONTINUE".utf8) {
                guard let last = cards.last, case .text(let text) = last.value, text.hasSuffix("&") else { continue }
                let printable = card.map { 0x20...0x7e ~= $0 ? $0 : 0x20 }
                guard case .text(let more) = HeaderCard.value(printable[8...]) else { continue }
                cards[cards.count - 1].value = .text(text.dropLast() + more)
            } else if let card = HeaderCard(card) {
                cards.append(card)
            }
        }
        return cards
    }

    /// Returns the first non-empty string value of `keyword`, without surrounding spaces, or nil if there is none.
    package func text(_ keyword: String) -> String? {
        for card in valueCards where card.keyword == keyword && !card.isHierarchical {
            guard case .text(let text) = card.value else { continue }
            let trimmed = text.drop { $0 == " " }
            if !trimmed.isEmpty { return String(trimmed) }
        }
        return nil
    }
}
