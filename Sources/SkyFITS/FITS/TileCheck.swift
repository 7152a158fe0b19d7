internal import CFITSIO

/// Validates the tiles of a compressed image before CFITSIO decompresses them: damaged tiles could make it crash or
/// hang.
///
/// All functions must be called inside ``FITSLibrary/run(_:)``.
final class TileCheck {
    private let file: FITSFile
    private(set) var layout: Layout
    /// Number of pixels of a full tile, which CFITSIO decompresses at once.
    let tileArea: Int
    /// Numbers of the tiles already found valid. Bands overlap, so tiles are read again.
    private var sound: Set<Int> = []

    /// The layout of the tiles according to the header, as parsed by CFITSIO.
    struct Layout {
        var width: Int
        var height: Int
        var tileWidth: Int
        var tileHeight: Int
        var bitpix: Int
        var type: Int32
        /// Whether floats are stored as scaled integers.
        var isQuantized: Bool
        var rice: TileStream.Rice
        var compressedColumn: Int32
        var gzipColumn: Int32
        /// Number of tiles in the planes of a cube before the image.
        var tilesBefore = 0

        /// Returns the possible sizes, in bytes, of a sample in an expanded tile of this column. CFITSIO derives the
        /// type of integer samples from the size, and does not fill a tile otherwise.
        func sampleSizes(column: Int32) -> [Int] {
            if bitpix > 0 || column == compressedColumn && isQuantized { return [1, 2, 4] }
            return [-bitpix / 8]
        }

        var tilesPerRow: Int { (width - 1) / tileWidth + 1 }

        /// Returns the tiles, numbered row by row from 0, with pixels of these rows.
        func tiles(rows: Range<Int>) -> Range<Int> {
            let first = tilesBefore + rows.lowerBound / tileHeight * tilesPerRow
            return first..<tilesBefore + ((rows.upperBound - 1) / tileHeight + 1) * tilesPerRow
        }
    }

    /// Creates a check of the image at which `file` is positioned; nil if its tile layout is invalid.
    init?(_ file: FITSFile, _ opened: FITSImage.Opening) {
        let (width, height) = (opened.width, opened.height)
        let facts = file.handle.pointee.Fptr.pointee
        let all = facts.tilesize
        let sides = [all.0, all.1, all.2, all.3, all.4, all.5]
        let (tileWidth, tileHeight) = (sides[0], sides[1])
        // CFITSIO uses this column number without checking it; it is 0 if the table lacks the column.
        guard facts.cn_compressed > 0, facts.cn_compressed <= facts.tfield else { return nil }
        // CFITSIO allocates a whole tile, which may be much larger than the image, and multiplies without overflow
        // checks.
        var area = 1
        for side in sides.prefix(Int(facts.zndim)) {
            let (product, overflow) = area.multipliedReportingOverflow(by: side)
            guard side > 0, !overflow, product <= Int32.max else { return nil }
            area = product
        }
        // Tiles with several planes cannot be checked for one plane only.
        guard opened.plane == nil || sides.prefix(Int(facts.zndim)).dropFirst(2).allSatisfy({ $0 == 1 }) else {
            return nil
        }
        self.file = file
        tileArea = area
        layout = Layout(
            width: width, height: height, tileWidth: tileWidth, tileHeight: tileHeight, bitpix: Int(facts.zbitpix),
            type: facts.compress_type, isQuantized: facts.cn_zscale != 0,
            rice: TileStream.Rice(
                blockSize: Int(facts.rice_blocksize), bytesPerPixel: Int(facts.rice_bytepix)),
            compressedColumn: facts.cn_compressed, gzipColumn: facts.cn_gzip_data)
        layout.tilesBefore = ((opened.plane ?? 1) - 1) * ((height - 1) / tileHeight + 1) * layout.tilesPerRow
    }

    /// Returns 0 if the tiles of these rows can be read, otherwise a CFITSIO status.
    func status(rows: Range<Int>) -> Int32 {
        guard !rows.isEmpty else { return 0 }
        for tile in layout.tiles(rows: rows) where !sound.contains(tile) {
            guard isSound(tile) else { return DATA_DECOMPRESSION_ERR }
            sound.insert(tile)
        }
        return 0
    }

    private func isSound(_ tile: Int) -> Bool {
        let (line, column) = (tile - layout.tilesBefore).quotientAndRemainder(dividingBy: layout.tilesPerRow)
        let count =
            min(layout.tileWidth, layout.width - column * layout.tileWidth)
            * min(layout.tileHeight, layout.height - line * layout.tileHeight)
        var length = 0
        guard let column = self.column(of: tile, &length) else { return true }
        guard (1...file.byteCount).contains(length) else { return false }
        if column == layout.gzipColumn || layout.type == GZIP_1 || layout.type == GZIP_2 {
            let sizes = layout.sampleSizes(column: column).map { $0 * count }
            return withBytes(column, tile, length) { TileStream.isSoundGzip($0, lengths: sizes) }
        }
        switch layout.type {
        case RICE_1: return withBytes(column, tile, length) { TileStream.isSoundRice($0, count: count, layout.rice) }
        case HCOMPRESS_1: return withBytes(column, tile, length) { TileStream.isSoundHCompress($0, count: count) }
        case PLIO_1: return isSoundPLIO(column, tile, length)
        default: return true
        }
    }

    /// Returns the column with the tile's compressed samples and sets `length` to their number, or returns nil if there
    /// are none.
    private func column(of tile: Int, _ length: inout Int) -> Int32? {
        for column in [layout.compressedColumn, layout.gzipColumn] where column > 0 {
            var (count, offset, status): (Int64, Int64, Int32) = (0, 0, 0)
            ffgdesll(file.handle, column, Int64(tile + 1), &count, &offset, &status)
            length = status == 0 ? Int(count) : -1
            if length != 0 { return column }
        }
        return nil
    }

    private func withBytes(
        _ column: Int32, _ tile: Int, _ length: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { bytes in
            var (anyNull, status): (Int32, Int32) = (0, 0)
            ffgcvb(file.handle, column, Int64(tile + 1), 1, Int64(length), 0, bytes.baseAddress, &anyNull, &status)
            return status == 0 && body(UnsafeBufferPointer(bytes))
        }
    }

    private func isSoundPLIO(_ column: Int32, _ tile: Int, _ length: Int) -> Bool {
        withUnsafeTemporaryAllocation(of: Int16.self, capacity: length) { words in
            var (anyNull, status): (Int32, Int32) = (0, 0)
            ffgcvi(file.handle, column, Int64(tile + 1), 1, Int64(length), 0, words.baseAddress, &anyNull, &status)
            return status == 0 && TileStream.isSoundPLIO(UnsafeBufferPointer(words))
        }
    }
}
