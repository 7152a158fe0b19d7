/// Follows the HDUs of a FITS file block by block, to find the end of the last one without reading what follows.
///
/// It only counts blocks: faults of a header are found when CFITSIO reads it.
struct HDUWalk {
    private enum Place {
        case header(HDULength)
        /// Number of data blocks that follow.
        case data(Int)
        case end
    }

    private var place = Place.header(HDULength())
    private var isFirst = true

    /// The first bytes of a FITS file.
    static let start = Array("SIMPLE  =".utf8)

    /// Whether the last HDU has ended.
    var hasEnded: Bool { if case .end = place { true } else { false } }

    /// Number of data blocks that follow, according to the headers so far.
    var expectedBlocks: Int { if case .data(let count) = place { count } else { 0 } }

    /// Reads the next block of the file.
    mutating func read(_ block: some Collection<UInt8>) {
        switch place {
        case .end: break
        case .data(let count): place = count > 1 ? .data(count - 1) : .header(HDULength())
        case .header(var length):
            if length.blockCount == 0, !block.starts(with: isFirst ? Self.start : HDULength.extensionStart) {
                place = .end
                return
            }
            isFirst = false
            length.read(block)
            if let count = length.blocks {
                place = count > 0 ? .data(count) : .header(HDULength())
            } else {
                place = length.blockCount < HDULength.maximumBlockCount ? .header(length) : .end
            }
        }
    }
}

/// The header keywords that determine the length of the data.
struct HDULength {
    /// The first bytes of an extension's header.
    static let extensionStart = Array("XTENSION".utf8)

    /// Maximum number of blocks of a header; a longer one is not read to its end.
    static let maximumBlockCount = 4096

    private(set) var blockCount = 0
    private var values: [String: Int] = [:]
    private var isComplete = false

    /// Reads the next block of the header.
    mutating func read(_ block: some Collection<UInt8>) {
        blockCount += 1
        var rest = block[...]
        while !rest.isEmpty, !isComplete {
            let card = rest.prefix(FITSHeader.cardLength)
            rest = rest.dropFirst(FITSHeader.cardLength)
            if card.starts(with: "END     ".utf8) { isComplete = true }
            guard let first = card.first, "NBPG".utf8.contains(first), let card = HeaderCard(card),
                Self.isCounted(card.keyword), case .number(let value, _) = card.value, let number = Int(exactly: value)
            else { continue }
            // The first card of a keyword counts, as in CFITSIO.
            if values[card.keyword] == nil { values[card.keyword] = number }
        }
    }

    private static func isCounted(_ keyword: String) -> Bool {
        ["BITPIX", "PCOUNT", "GCOUNT"].contains(keyword) || keyword.hasPrefix("NAXIS")
    }

    /// Number of data blocks; nil until the header has ended.
    var blocks: Int? {
        guard isComplete else { return nil }
        let axes = min(values["NAXIS"] ?? 0, 999)
        guard axes > 0 else { return 0 }
        var sides = (1...axes).map { Double(values["NAXIS\($0)"] ?? 0) }
        // Random groups are marked by a first axis of length 0.
        if sides[0] == 0, values["GCOUNT"] != nil { sides.removeFirst() }
        let samples = (sides.reduce(1, *) + Double(values["PCOUNT"] ?? 0)) * Double(values["GCOUNT"] ?? 1)
        let bytes = samples * Double(abs(values["BITPIX"] ?? 8) / 8)
        // An infinite length times a length of 0 is NaN.
        guard bytes > 0 else { return 0 }
        return Int(min((bytes / Double(FITSMemoryFile.blockLength)).rounded(.up), 1e15))
    }
}
