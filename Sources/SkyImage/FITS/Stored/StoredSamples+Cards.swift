internal import CFITSIO

/// The cards of a piece's header.
extension StoredSamples {
    /// Beginnings of the keywords on which CFITSIO's conversion and decompression of samples depend.
    private static let kept = ["BSCALE", "BZERO", "BLANK", "TTYPE", "TFORM", "TSCAL", "TZERO", "TNULL", "Z"]

    /// The cards of the current HDU that a piece needs, unchanged and in order, since a keyword may occur twice; nil if
    /// CFITSIO cannot read them all, or if one has an unusual form in which it might find a keyword of ``kept``.
    static func cards(_ file: FITSFile) -> [ArraySlice<UInt8>]? {
        var (text, count, status): (UnsafeMutablePointer<CChar>?, Int32, Int32) = (nil, 0, 0)
        ffhdr2str(file.handle, 0, nil, 0, &text, &count, &status)
        defer {
            var ignored: Int32 = 0
            fffree(text, &ignored)
        }
        guard status == 0, let text else { return nil }
        let length = FITSHeader.cardLength
        let bytes = [UInt8](UnsafeRawBufferPointer(start: text, count: Int(count) * length))
        var cards: [ArraySlice<UInt8>] = []
        for start in stride(from: 0, to: bytes.count, by: length) {
            let card = bytes[start..<start + length]
            if !mayBeKept(card) { continue }
            var words = String(decoding: card, as: UTF8.self).uppercased().split { $0 == " " || $0 == "=" }
            let isHierarchical = words.first == "HIERARCH"
            if isHierarchical { words.removeFirst() }
            guard let word = words.first, kept.contains(where: word.hasPrefix) else { continue }
            // Keywords begin in the first column.
            if isHierarchical || card[start] == UInt8(ascii: " ") { return nil }
            cards.append(card)
        }
        return cards
    }

    /// Whether the first character of a card may be that of a keyword of ``kept``, or of HIERARCH. Most are not, and
    /// words take long to compare.
    private static func mayBeKept(_ card: ArraySlice<UInt8>) -> Bool {
        let first = card.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "=") }
        return first.map { $0 >= 0x80 || "BbTtZzHh".utf8.contains($0) } ?? false
    }

    /// A card with a fixed-format value.
    static func card(_ key: String, _ value: String) -> ArraySlice<UInt8> {
        let name = key + String(repeating: " ", count: 8 - key.utf8.count)
        let padding = String(repeating: " ", count: max(0, 20 - value.utf8.count))
        let text = Array("\(name)= \(padding)\(value)".utf8)
        return ArraySlice(text + [UInt8](repeating: UInt8(ascii: " "), count: FITSHeader.cardLength - text.count))
    }

    /// A header of `cards`, with its END card, padded to whole blocks.
    static func blocks(_ cards: [ArraySlice<UInt8>]) -> [UInt8] {
        let block = FITSMemoryFile.blockLength
        var bytes: [UInt8] = []
        bytes.reserveCapacity(((cards.count + 1) * FITSHeader.cardLength + block - 1) / block * block)
        for card in cards { bytes += card }
        bytes += Array("END".utf8)
        return bytes + [UInt8](repeating: UInt8(ascii: " "), count: (block - bytes.count % block) % block)
    }

    /// The keyword of a card: its first eight characters, without spaces.
    static func keyword(_ card: ArraySlice<UInt8>) -> String {
        String(decoding: card.prefix(8).filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    }
}
