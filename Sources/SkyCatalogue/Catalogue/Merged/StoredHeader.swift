internal import CFITSIO
import SkyFITS

/// The cards of a table's header, each joined with the cards that continue it.
struct StoredHeader {
    private(set) var cards: [ArraySlice<UInt8>] = []

    /// Reads the header of the current HDU; nil if it cannot be read.
    init?(of handle: UnsafeMutablePointer<fitsfile>) {
        var text: UnsafeMutablePointer<CChar>?
        var (count, status): (Int32, Int32) = (0, 0)
        ffhdr2str(handle, 0, nil, 0, &text, &count, &status)
        guard status == 0, let text else { return nil }
        defer { fffree(text, &status) }
        let bytes = Array(UnsafeRawBufferPointer(start: text, count: Int(count) * FITSHeader.cardLength))
        for start in stride(from: 0, to: bytes.count, by: FITSHeader.cardLength) {
            let card = bytes[start..<start + FITSHeader.cardLength]
            if card.starts(with: Self.continuation), let last = cards.popLast() {
                cards.append(bytes[last.startIndex..<card.endIndex])
            } else {
                cards.append(card)
            }
        }
    }

    private static let continuation = Array("CONTINUE".utf8)

    /// The concatenated cards that describe columns. Headers for which they are equal have the same columns.
    var columnCards: [UInt8] { cards.filter(Self.isOfColumn).reduce(into: []) { $0 += $1 } }

    private static func isOfColumn(_ card: ArraySlice<UInt8>) -> Bool {
        ["TFIELDS", "TTYPE", "TFORM", "TUNIT", "TCOMM"].contains { card.starts(with: $0.utf8) }
    }

    /// Returns the entries of cards that describe neither columns nor the structure of the file.
    static func entries(of cards: [ArraySlice<UInt8>]) -> [HeaderEntry] {
        guard let memory = FITSMemoryFile() else { return [] }
        memory.call { handle, status in ffcrim(handle, BYTE_IMG, 0, nil, status) }
        let wanted = cards.filter { !isOfColumn($0) && isFree($0) }
        for card in wanted {
            for start in stride(from: card.startIndex, to: card.endIndex, by: FITSHeader.cardLength) {
                let text = String(decoding: card[start..<start + FITSHeader.cardLength], as: UTF8.self)
                memory.call { handle, status in ffprec(handle, text, status) }
            }
        }
        return FITSLibrary.run { wanted.compactMap { entry(of: $0, in: memory.handle) } }
    }

    /// Whether a card has a keyword that the standard does not define.
    private static func isFree(_ card: ArraySlice<UInt8>) -> Bool {
        var text = card.prefix(FITSHeader.cardLength).map { CChar(bitPattern: $0) } + [0]
        return ffgkcl(&text) == TYP_USER_KEY
    }

    private static func entry(
        of card: ArraySlice<UInt8>, in handle: UnsafeMutablePointer<fitsfile>
    ) -> HeaderEntry? {
        var status: Int32 = 0
        var first = card.prefix(FITSHeader.cardLength).map { CChar(bitPattern: $0) } + [0]
        var (name, value, comment) = (buffer(FLEN_KEYWORD), buffer(FLEN_VALUE), buffer(FLEN_COMMENT))
        var (length, type): (Int32, CChar) = (0, 0)
        ffgknm(&first, &name, &length, &status)
        ffpsvc(&first, &value, &comment, &status)
        ffdtyp(&value, &type, &status)
        guard status == 0 else { return nil }
        let key = FITSLibrary.string(name)
        let content: HeaderEntry.Value?
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "C"):
            var text: UnsafeMutablePointer<CChar>?
            var whole = buffer(FLEN_COMMENT)
            ffgkls(handle, key, &text, &whole, &status)
            content = status == 0 ? text.map { .text(String(cString: $0)) } : nil
            fffree(text, &status)
            // CFITSIO keeps the space before the comment of a continued string.
            comment = Array(whole.drop { $0 == CChar(bitPattern: UInt8(ascii: " ")) })
        case UInt8(ascii: "L"): content = .logical(FITSLibrary.string(value) == "T")
        case UInt8(ascii: "I"): content = Int(FITSLibrary.string(value)).map { .integer($0) }
        default: content = Double(FITSLibrary.string(value)).map { .real($0) }
        }
        return content.map { HeaderEntry(key, $0, comment: FITSLibrary.string(comment)) }
    }

    private static func buffer(_ length: Int32) -> [CChar] { [CChar](repeating: 0, count: Int(length)) }
}
