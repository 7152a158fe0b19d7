/// The stored samples of a window in the form of a small FITS file: a new header, followed by bytes of the image's
/// file.
///
/// The piece of a plain image is an image of the window's size. The piece of a tile-compressed image is a table with
/// the rows of tiles that cover the window; tiles in these rows that do not touch the window are empty.
package struct StoredPiece: Sendable {
    /// The first bytes: headers and, for tiles, the rows of the table.
    package let head: [UInt8]
    /// Byte ranges of the image's file that follow, in order.
    let ranges: [Range<Int>]
    /// Column of the window's first pixel in the image of the piece.
    package let column: Int
    /// Row of the window's first pixel in the image of the piece.
    package let row: Int
    /// Size of the piece in bytes: whole blocks.
    package let byteCount: Int

    init(head: [UInt8], ranges: [Range<Int>], column: Int = 0, row: Int = 0) {
        (self.head, self.column, self.row) = (head, column, row)
        self.ranges = ranges
        let block = FITSMemoryFile.blockLength
        byteCount = (ranges.reduce(head.count) { $0 + $1.count } + block - 1) / block * block
    }

    /// Returns the maximum number of pixels of a tile that is decompressed for a window of `area` pixels. It keeps the
    /// memory for a piece in proportion to its window.
    static func tileLimit(area: Int) -> Int { max(area, 1 << 16) }
}
