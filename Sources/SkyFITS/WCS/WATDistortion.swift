/// The distortion of IRAF's projections TNX and ZPX, which is stored as text in WATi_n cards.
///
/// WCSLIB 7.12 writes beyond a buffer for malformed texts, so only valid ones are passed on.
struct WATDistortion {
    /// The cards in FITS format.
    let cards: [String]

    /// Reads the distortion of type `tnx` or `zpx` for the longitude and latitude `axes` from header values.
    /// - Throws: ``WCSUnavailable``, if the text of the cards is malformed.
    init(_ type: String, axes: [(axis: Int, isLongitude: Bool)], _ values: [String: HeaderCard.Value])
        throws(WCSUnavailable)
    {
        var cards: [String] = []
        for (axis, isLongitude) in axes {
            let text = Self.text(axis, values)
            if text.isEmpty { continue }
            guard let normal = Self.normalized(text, type, isLongitude) else {
                throw WCSUnavailable("the distortion of \(type.uppercased()) in WAT\(axis)_001 is malformed")
            }
            cards += Self.cards(normal, axis)
        }
        self.cards = cards
    }

    /// Returns the text of an axis. Each card but the last has 68 characters, including trailing spaces.
    private static func text(_ axis: Int, _ values: [String: HeaderCard.Value]) -> String {
        var text = ""
        for index in 1...999 {
            let digits = String(repeating: "0", count: index < 10 ? 2 : index < 100 ? 1 : 0)
            guard case .text(let part) = values["WAT\(axis)_\(digits)\(index)"] else { break }
            text += part + String(repeating: " ", count: max(0, Self.pieceLength - part.count))
        }
        return text
    }

    private static let pieceLength = 68

    /// Returns `text` with single spaces between words, or nil if it is malformed.
    private static func normalized(_ text: String, _ type: String, _ isLongitude: Bool) -> String? {
        let quoted = text.split(separator: "\"", omittingEmptySubsequences: false)
        // Without a list of numbers, WCSLIB writes beyond a buffer.
        guard quoted.count == 3 else { return nil }
        let tail = quoted.count == 3 ? String(quoted[2]) : ""
        guard var fields = fields(String(quoted[0])), let further = Self.fields(tail), fields["wtype"] == type else {
            return nil
        }
        let list = isLongitude ? "lngcor" : "latcor"
        var words = ["wtype=\(type)", "axtype=\(isLongitude ? "ra" : "dec")"]
        guard (quoted.count == 3) == (fields.removeValue(forKey: list) == "") else { return nil }
        for (key, value) in fields.merging(further, uniquingKeysWith: { $1 }).sorted(by: { $0.key < $1.key })
        where key.hasPrefix("projp") {
            guard let index = Int(key.dropFirst(5)), (0...9).contains(index), HeaderCard.number(value) != nil else {
                return nil
            }
            words.append("projp\(index)=\(value)")
        }
        if quoted.count == 3 {
            guard let numbers = surface(quoted[1]) else { return nil }
            words.append("\(list) = \"\(numbers.joined(separator: " ")) \"")
        }
        return words.joined(separator: " ")
    }

    /// Parses `key = value` pairs; nil if the text has anything else.
    private static func fields(_ text: String) -> [String: String]? {
        var fields: [String: String] = [:]
        let words = text.replacing("=", with: " = ").split(separator: " ")
        var index = 0
        while index < words.count {
            guard index + 1 < words.count, words[index + 1] == "=", words[index] != "=" else { return nil }
            let isLast = index + 2 == words.count
            fields[words[index].lowercased()] = isLast ? "" : String(words[index + 2])
            index += isLast ? 2 : 3
        }
        return fields
    }

    /// Returns the words of a surface: type, orders, cross terms, ranges and the required number of coefficients.
    private static func surface(_ text: Substring) -> [Substring]? {
        let words = text.split(separator: " ")
        let numbers = words.compactMap { HeaderCard.number($0) }
        guard numbers.count == words.count, numbers.count >= 8, (1...3).contains(numbers[0]),
            (1...20).contains(numbers[1]), (1...20).contains(numbers[2]), (0...2).contains(numbers[3]),
            numbers.prefix(4).allSatisfy({ $0 == $0.rounded() }), numbers[4] < numbers[5], numbers[6] < numbers[7]
        else { return nil }
        let (columns, rows) = (Int(numbers[1]), Int(numbers[2]))
        let count =
            switch Int(numbers[3]) {
            case 0: columns + rows - 1
            case 1: columns * rows
            default: (0..<rows).reduce(0) { $0 + min(columns, max(columns, rows) - $1) }
            }
        return numbers.count == 8 + count ? words : nil
    }

    /// Splits a text into cards. WCSLIB takes a card with less than 68 characters for the last one.
    private static func cards(_ text: String, _ axis: Int) -> [String] {
        var (cards, rest): ([String], Substring) = ([], text[...])
        while !rest.isEmpty {
            let piece = rest.prefix(pieceLength)
            rest = rest.dropFirst(piece.count)
            let number = String(cards.count + 1)
            let digits = String(repeating: "0", count: max(0, 3 - number.count)) + number
            cards.append(WCSCards.card("WAT\(axis)_\(digits)", "'\(piece)'"))
        }
        return cards
    }
}
