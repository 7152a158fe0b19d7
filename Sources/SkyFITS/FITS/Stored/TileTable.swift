internal import CFITSIO

/// Location of the tiles in the table of a tile-compressed image.
package struct TileTable {
    /// A variable-length column, with the number and the heap offset of its elements in each row.
    struct Column {
        /// Byte offset within a row.
        let offset: Int
        /// Whether number and offset have 64 bits each instead of 32.
        let isLong: Bool
        /// Size of an element in bytes.
        let elementSize: Int
    }

    /// Length of a row in bytes.
    let rowLength: Int
    let columnCount: Int
    /// The variable-length columns.
    let columns: [Column]
    /// Offset of the table in the file.
    let start: Int
    /// Byte range of the heap in the file.
    let heap: Range<Int>
    let layout: TileCheck.Layout
    /// Index, from 1, of CFITSIO's random number sequence that dithers the first tile; nil if the image is not
    /// dithered.
    let ditherSeed: Int?
    /// Number of seeds, after which they repeat.
    static let ditherSeedCount = 10000

    /// Reads the layout of the table at which `file` is positioned; nil if it has a column of an unknown type, or too
    /// few rows.
    init?(_ file: FITSFile, _ layout: TileCheck.Layout, data: Range<Int>) {
        let facts = file.handle.pointee.Fptr.pointee
        let tiles = ((layout.height - 1) / layout.tileHeight + 1) * layout.tilesPerRow
        guard facts.rowlength > 0, facts.numrows == tiles, let table = facts.tableptr else { return nil }
        (rowLength, columnCount) = (Int(facts.rowlength), Int(facts.tfield))
        let (tableLength, overflow) = rowLength.multipliedReportingOverflow(by: tiles)
        let heapStart = Int(facts.heapstart)
        guard !overflow, tableLength <= heapStart, heapStart <= data.count else { return nil }
        start = data.lowerBound
        heap = data.lowerBound + heapStart..<data.upperBound
        self.layout = layout
        let isDithered = [SUBTRACTIVE_DITHER_1, SUBTRACTIVE_DITHER_2].contains(facts.quantize_method)
        ditherSeed = isDithered ? Int(facts.dither_seed) : nil
        guard ditherSeed.map({ (1...Self.ditherSeedCount).contains($0) }) ?? true else { return nil }
        var columns: [Column] = []
        for index in 0..<columnCount where table[index].tdatatype < 0 {
            let form = withUnsafeBytes(of: table[index].tform) { Array($0.prefix { $0 != 0 }) }
            let isLong = form.contains(UInt8(ascii: "Q"))
            let offset = Int(table[index].tbcol)
            guard let size = Self.elementSize(-table[index].tdatatype), form.first != UInt8(ascii: "0"), offset >= 0,
                offset + (isLong ? 16 : 8) <= rowLength
            else { return nil }
            columns.append(Column(offset: offset, isLong: isLong, elementSize: size))
        }
        self.columns = columns
    }

    private static func elementSize(_ type: Int32) -> Int? {
        switch type {
        case TBYTE: 1
        case TSHORT: 2
        case TINT, TLONG, TFLOAT: 4
        case TLONGLONG, TDOUBLE: 8
        default: nil
        }
    }
}
