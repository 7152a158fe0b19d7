internal import CFITSIO
internal import CNumbers

extension FITSImage {
    /// Reads a window as physical values in row order; blank and NaN samples become NaN.
    ///
    /// Rows count from 0, the first row of the file. Windows of full width are read fastest.
    /// - Parameters:
    ///   - rows: Rows inside `0..<height`.
    ///   - columns: Columns inside `0..<width`.
    ///   - pixels: Room for `rows.count * columns.count` values.
    /// - Throws: ``ImageError`` with `corrupt`, if the samples cannot be read or decompressed.
    public func read(
        rows: Range<Int>, columns: Range<Int>, into pixels: UnsafeMutableBufferPointer<Float>
    ) throws(ImageError) {
        precondition((0..<height + 1).contains(rows.upperBound) && rows.lowerBound >= 0, "rows outside the image")
        precondition(
            (0..<width + 1).contains(columns.upperBound) && columns.lowerBound >= 0, "columns outside the image")
        let count = rows.count * columns.count
        precondition(pixels.count >= count, "no room for the window")
        guard count > 0, let start = pixels.baseAddress else { return }
        let status = FITSLibrary.run {
            isTileCompressed ? readTiles(rows, columns, start) : readPlain(rows, columns, start)
        }
        guard status == 0 else {
            throw ImageError(
                .corrupt,
                "\(location): rows \(rows.lowerBound) to \(rows.upperBound - 1) cannot be read: "
                    + "\(FITSLibrary.words(for: status)); fetch the file again")
        }
        scaling?.apply(to: UnsafeMutableBufferPointer(start: start, count: count))
    }

    /// Reads full-width rows; see ``read(rows:columns:into:)``.
    /// - Throws: ``ImageError`` with `corrupt`, if the samples cannot be read or decompressed.
    public func read(rows: Range<Int>, into pixels: UnsafeMutableBufferPointer<Float>) throws(ImageError) {
        try read(rows: rows, columns: 0..<width, into: pixels)
    }

    private func readPlain(_ rows: Range<Int>, _ columns: Range<Int>, _ start: UnsafeMutablePointer<Float>) -> Int32 {
        let isFullWidth = columns.count == width
        let run = isFullWidth ? rows.count * width : columns.count
        var status: Int32 = 0
        for (index, row) in (isFullWidth ? rows.prefix(1) : rows).enumerated() {
            let (first, target) = (firstSample + row * width + columns.lowerBound, start + index * run)
            let complete = incompleteBlock.map { max(0, min(run, $0.first - first)) } ?? run
            if complete > 0 {
                if holdsPlainFloats {
                    readFloats(first, complete, target, &status)
                } else {
                    readSamples(file.handle, first, complete, target, &status)
                }
            }
            if let block = incompleteBlock, complete < run {
                let start = first + complete - block.first
                readSamples(block.handle, start, run - complete, target + complete, &status)
            }
        }
        return status
    }

    /// Reads `count` samples from number `first`, counted from 0, of a file at an HDU with this image's sample type.
    private func readSamples(
        _ handle: UnsafeMutablePointer<fitsfile>, _ first: Int, _ count: Int, _ start: UnsafeMutablePointer<Float>,
        _ status: inout Int32
    ) {
        // A null value of 0 turns off CFITSIO's search for NaN, which floats do not need: their NaN are kept.
        let blank: Float = bitpix < 0 ? 0 : .nan
        var anyBlank: Int32 = 0
        ffgpve(handle, 1, Int64(first + 1), Int64(count), blank, start, &anyBlank, &status)
    }

    /// Reads `count` stored floats from number `first`, counted from 0.
    ///
    /// CFITSIO only reads the bytes. They are swapped here, with SIMD instructions while they are in the processor's
    /// cache, because CFITSIO takes longer to swap them than to read them.
    private func readFloats(
        _ first: Int, _ count: Int, _ start: UnsafeMutablePointer<Float>, _ status: inout Int32
    ) {
        let size = MemoryLayout<Float>.size
        // Pieces of one to two MiB, none of them small: CFITSIO buffers small ones, and after an error treats a buffer
        // that it could not fill as the file's content.
        let pieces = max(1, count * size >> 20)
        for piece in 0..<pieces where status == 0 {
            let (from, end) = (count * piece / pieces, count * (piece + 1) / pieces)
            let byteCount = (end - from) * size
            // CFITSIO accesses an image as a table of one row.
            (start + from).withMemoryRebound(to: UInt8.self, capacity: byteCount) { bytes in
                _ = ffgtbb(file.handle, 1, Int64((first + from) * size + 1), Int64(byteCount), bytes, &status)
            }
            if status == 0 { skyfarm_swap_floats(start + from, end - from) }
        }
    }

    /// A NaN that no image holds: where it is left, CFITSIO has written nothing.
    private static let unread = Float(bitPattern: 0x7fa5_5a5a)

    private func readTiles(_ rows: Range<Int>, _ columns: Range<Int>, _ start: UnsafeMutablePointer<Float>) -> Int32 {
        // CFITSIO takes the lengths of the axes from the header.
        var axes = [width, height] + planePlace
        var first = [columns.lowerBound + 1, rows.lowerBound + 1] + planePlace
        var last = [columns.upperBound, rows.upperBound] + planePlace
        var step = [Int](repeating: 1, count: axes.count)
        var anyBlank: Int32 = 0
        var status = tileCheck?.status(rows: rows) ?? DATA_DECOMPRESSION_ERR
        let target = UnsafeMutableBufferPointer(start: start, count: rows.count * columns.count)
        target.update(repeating: Self.unread)
        ffgsve(
            file.handle, 0, Int32(axes.count), &axes, &first, &last, &step, .nan, start, &anyBlank, &status)
        return status == 0 && Self.hasUnread(target) ? DATA_DECOMPRESSION_ERR : status
    }

    /// Whether a pixel has not been written. All are looked at, which is faster with SIMD instructions.
    private static func hasUnread(_ pixels: UnsafeMutableBufferPointer<Float>) -> Bool {
        let pattern = unread.bitPattern
        var found: UInt32 = 0
        for pixel in pixels { found |= pixel.bitPattern == pattern ? 1 : 0 }
        return found != 0
    }
}
