/// The name of a header card: a keyword of up to eight characters, or the words after HIERARCH.
struct CardName: Hashable, Sendable {
    /// In capitals; words are separated by one space.
    let words: String
    /// The eight bytes of a keyword on a card; nil if the name is longer or has several words.
    let key: UInt64?

    /// A name; dots separate words as spaces do.
    init(_ name: some Sequence<UInt8>) {
        let upper = name.map { Self.isLower($0) ? $0 & ~0x20 : $0 == UInt8(ascii: ".") ? 0x20 : $0 }
        let words = upper.split(separator: 0x20)
        self.words = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        key = words.count == 1 && words[0].count <= 8 ? Self.key(words[0]) : nil
    }

    /// Up to eight bytes in one number, padded with spaces; letters become capitals.
    static func key(_ bytes: some Collection<UInt8>) -> UInt64 {
        var (key, count) = (UInt64(0), 0)
        for byte in bytes.prefix(8) {
            key = key << 8 | UInt64(isLower(byte) ? byte & ~0x20 : byte)
            count += 1
        }
        while count < 8 { (key, count) = (key << 8 | 0x20, count + 1) }
        return key
    }

    private static func isLower(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }

    /// Whether the keyword describes the structure of its own HDU: no extension inherits it.
    var isStructural: Bool {
        Self.structural.contains(words) || ["NAXIS", "TTYPE", "TFORM"].contains { words.hasPrefix($0) }
    }

    /// The key of a keyword that a table with the tiles of a compressed image keeps under another name; nil for others.
    var keyInTable: UInt64? {
        switch words {
        case "BITPIX", "PCOUNT", "GCOUNT", "SIMPLE", "EXTEND": Self.key("Z\(words)".utf8)
        case _ where words.hasPrefix("NAXIS"): Self.key("Z\(words)".utf8)
        // Z takes the place of the first letter where there is no room for another one.
        case "CHECKSUM", "XTENSION": Self.key("Z\(words.dropFirst())".utf8)
        case "DATASUM": Self.key("ZDATASUM".utf8)
        default: nil
        }
    }

    private static let structural: Set = [
        "SIMPLE", "XTENSION", "BITPIX", "EXTEND", "BLOCKED", "GROUPS", "PCOUNT", "GCOUNT", "BSCALE", "BZERO", "BLANK",
        "EXTNAME", "EXTVER", "EXTLEVEL", "INHERIT", "CHECKSUM", "DATASUM", "TFIELDS",
    ]
}
