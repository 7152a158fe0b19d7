/// The 80-byte cards of an HDU's header, as stored in the file.
///
/// For a tile-compressed image, these are the cards of the image, not of the table that holds its tiles.
public struct FITSHeader: Hashable, Sendable {
    /// Length of a card in bytes.
    public static let cardLength = 80

    /// The concatenated cards, including END.
    public var bytes: [UInt8]

    /// Creates a header from `bytes`, truncated to a multiple of 80.
    public init(bytes: [UInt8]) {
        self.bytes = Array(bytes.prefix(bytes.count / Self.cardLength * Self.cardLength))
    }

    /// Creates a header from cards, each padded or truncated to 80 characters, and adds an END card.
    public init(cards: [String]) {
        bytes = []
        for card in cards + ["END"] {
            let characters = Array(card.utf8.prefix(Self.cardLength))
            bytes += characters + [UInt8](repeating: UInt8(ascii: " "), count: Self.cardLength - characters.count)
        }
    }

    /// Number of cards, including END.
    public var count: Int { bytes.count / Self.cardLength }

    /// Returns the card at `index` without trailing spaces.
    public subscript(index: Int) -> String {
        let card = bytes[index * Self.cardLength..<(index + 1) * Self.cardLength]
        let end = card.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? card.startIndex
        return String(decoding: card[..<end], as: UTF8.self)
    }

    /// Returns the number in the first card of `keyword`, quoted or not, or nil if there is none.
    public func number(_ keyword: String) -> Double? {
        let word = words(keyword)?.split(separator: " ").first
        let number = word.flatMap { Double($0.replacing("D", with: "E")) }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns the value of the first card of `keyword` as text without quotes, or nil if there is no card or no value.
    public func words(_ keyword: String) -> String? {
        guard let index = (0..<count).first(where: { self.keyword(at: $0) == keyword }) else { return nil }
        let card = self[index]
        guard card.dropFirst(8).hasPrefix("=") else { return nil }
        let value = card.dropFirst(9).drop { $0 == " " }
        let text = value.hasPrefix("'") ? value.dropFirst().prefix { $0 != "'" } : value.prefix { $0 != "/" }
        let words = text.split(separator: " ").joined(separator: " ")
        return words.isEmpty ? nil : words
    }

    /// The header of one plane of a cube as a separate image with two axes.
    var ofPlane: FITSHeader {
        var plane = FITSHeader(bytes: [])
        for index in 0..<count {
            let name = keyword(at: index)
            if name == "NAXIS" {
                plane.bytes += FITSHeader(cards: ["NAXIS   =                    2"]).bytes.prefix(Self.cardLength)
            } else if !name.hasPrefix("NAXIS") || ["NAXIS1", "NAXIS2"].contains(name) {
                plane.bytes += bytes[index * Self.cardLength..<(index + 1) * Self.cardLength]
            }
        }
        return plane
    }

    /// Returns the keyword of the card at `index`.
    package func keyword(at index: Int) -> String {
        let start = index * Self.cardLength
        return String(decoding: bytes[start..<start + 8].filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    }
}
