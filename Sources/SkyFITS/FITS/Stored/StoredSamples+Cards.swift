internal import CFITSIO

/// Header cards of a piece.
extension StoredSamples {
    /// Prefixes of the keywords that affect CFITSIO's conversion and decompression of samples.
    private static let kept = ["BSCALE", "BZERO", "BLANK", "TTYPE", "TFORM", "TSCAL", "TZERO", "TNULL", "Z"]
        .map { Array($0.utf8) }

    /// Returns the cards of the current HDU that a piece needs, unchanged and in order, since a keyword may occur
    /// twice. Returns nil if CFITSIO cannot read all cards, or if a card has an unusual form in which CFITSIO might
    /// find a keyword of ``kept``.
    package static func cards(_ file: FITSFile) -> [ArraySlice<UInt8>]? {
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
            var word = firstWord(card)
            let isHierarchical = capitals(word).elementsEqual("HIERARCH".utf8)
            if isHierarchical { word = firstWord(card[word.endIndex...]) }
            guard kept.contains(where: { capitals(word).starts(with: $0) }) else { continue }
            // Keywords must begin in the first column.
            if isHierarchical || card[start] == UInt8(ascii: " ") { return nil }
            cards.append(card)
        }
        return cards
    }

    /// Returns the first word of a card. Spaces and equals signs separate words.
    private static func firstWord(_ card: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func separates(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "=") }
        return card.drop(while: separates).prefix { !separates($0) }
    }

    private static func capitals(_ word: ArraySlice<UInt8>) -> some Sequence<UInt8> {
        word.lazy.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 ? $0 - 32 : $0 }
    }

    /// Returns a card with a fixed-format value.
    package static func card(_ key: String, _ value: String) -> ArraySlice<UInt8> {
        let name = key + String(repeating: " ", count: 8 - key.utf8.count)
        let padding = String(repeating: " ", count: max(0, 20 - value.utf8.count))
        let text = Array("\(name)= \(padding)\(value)".utf8)
        return ArraySlice(text + [UInt8](repeating: UInt8(ascii: " "), count: FITSHeader.cardLength - text.count))
    }

    /// Returns a header with `cards` and an END card, padded to whole blocks.
    package static func blocks(_ cards: [ArraySlice<UInt8>]) -> [UInt8] {
        let block = FITSMemoryFile.blockLength
        var bytes: [UInt8] = []
        bytes.reserveCapacity(((cards.count + 1) * FITSHeader.cardLength + block - 1) / block * block)
        for card in cards { bytes += card }
        bytes += Array("END".utf8)
        return bytes + [UInt8](repeating: UInt8(ascii: " "), count: (block - bytes.count % block) % block)
    }

    /// Returns the keyword of a card: its first eight characters without spaces.
    package static func keyword(_ card: ArraySlice<UInt8>) -> String {
        String(decoding: card.prefix(8).filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    }
}
