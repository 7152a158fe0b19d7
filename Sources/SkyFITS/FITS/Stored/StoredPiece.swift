/// The samples of a window as they are stored in a file, in the form of a small FITS file: a header of its own and bytes
/// of the image's file.
///
/// The piece of a plain image is an image of the window's size. The piece of a tile-compressed image is a table of the
/// rows of tiles that cover the window; in these rows, tiles beside the window are empty.
package struct StoredPiece: Sendable {
    /// The first bytes: headers and, for tiles, the rows of the table.
    package let head: [UInt8]
    /// The bytes of the image's file that follow, range by range.
    let ranges: [Range<Int>]
    /// Column of the window's first pixel in the piece's image.
    package let column: Int
    /// Row of the window's first pixel in the piece's image.
    package let row: Int
    /// Size of the piece: whole blocks.
    package let byteCount: Int

    init(head: [UInt8], ranges: [Range<Int>], column: Int = 0, row: Int = 0) {
        (self.head, self.column, self.row) = (head, column, row)
        self.ranges = ranges
        let block = FITSMemoryFile.blockLength
        byteCount = (ranges.reduce(head.count) { $0 + $1.count } + block - 1) / block * block
    }

    /// Most pixels of a tile that is decompressed for a window of `area` pixels, so that the memory that a piece needs
    /// is in proportion to its window.
    static func tileLimit(area: Int) -> Int { max(area, 1 << 16) }
}
