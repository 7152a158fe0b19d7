internal import CFITSIO
internal import CNumbers

extension FITSImage {
    /// Reads a window of the image as physical values in row order; blank and NaN samples become NaN.
    ///
    /// Rows count from 0, the first row of the file. Windows of full width are read fastest.
    /// - Parameters:
    ///   - rows: rows within `0..<height`.
    ///   - columns: columns within `0..<width`.
    ///   - pixels: room for `rows.count * columns.count` values.
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
        if plainShorts == nil { scaling?.apply(to: UnsafeMutableBufferPointer(start: start, count: count)) }
    }

    /// Reads full-width rows; see ``read(rows:columns:into:)``.
    /// - Throws: ``ImageError`` with `corrupt`, if the samples cannot be read or decompressed.
    public func read(rows: Range<Int>, into pixels: UnsafeMutableBufferPointer<Float>) throws(ImageError) {
        try read(rows: rows, columns: 0..<width, into: pixels)
    }

    /// Reads all rows in strips of about a megapixel, in their order.
    /// - Parameter body: called with the first row of each strip, and its pixels.
    /// - Throws: as ``read(rows:into:)``; errors of `body`.
    package func readStrips(_ body: (_ first: Int, UnsafeBufferPointer<Float>) throws -> Void) throws {
        let step = max(1, (1 << 20) / width)
        let strip = UnsafeMutableBufferPointer<Float>.allocate(capacity: min(step, height) * width)
        defer { strip.deallocate() }
        for first in stride(from: 0, to: height, by: step) {
            let rows = first..<min(first + step, height)
            try read(rows: rows, into: strip)
            try body(first, UnsafeBufferPointer(rebasing: strip.prefix(rows.count * width)))
        }
    }

    private func readPlain(_ rows: Range<Int>, _ columns: Range<Int>, _ start: UnsafeMutablePointer<Float>) -> Int32 {
        let isFullWidth = columns.count == width
        let run = isFullWidth ? rows.count * width : columns.count
        var status: Int32 = 0
        for (index, row) in (isFullWidth ? rows.prefix(1) : rows).enumerated() {
            let (first, target) = (firstSample + row * width + columns.lowerBound, start + index * run)
            let complete = incompleteBlock.map { max(0, min(run, $0.first - first)) } ?? run
            if complete > 0 {
                if holdsPlainFloats || plainShorts != nil {
                    readNumbers(first, complete, target, &status)
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

    /// Reads `count` samples, starting at number `first` (0-based), from a file at an HDU with this image's sample
    /// type.
    private func readSamples(
        _ handle: UnsafeMutablePointer<fitsfile>, _ first: Int, _ count: Int, _ start: UnsafeMutablePointer<Float>,
        _ status: inout Int32
    ) {
        // A null value of 0 disables CFITSIO's search for NaN, which is not needed for floats: their NaN values are
        // kept.
        let blank: Float = bitpix < 0 ? 0 : .nan
        var anyBlank: Int32 = 0
        ffgpve(handle, 1, Int64(first + 1), Int64(count), blank, start, &anyBlank, &status)
    }

    /// Reads `count` stored floats or integers of 16 bits, starting at number `first` (0-based).
    ///
    /// CFITSIO only reads the bytes. They are converted here, with SIMD instructions while they are in the processor's
    /// cache, because CFITSIO takes longer to convert them than to read them.
    private func readNumbers(
        _ first: Int, _ count: Int, _ start: UnsafeMutablePointer<Float>, _ status: inout Int32
    ) {
        let size = abs(bitpix) / 8
        // Pieces have one to two MiB, since CFITSIO buffers small reads, and after an error treats a buffer that it
        // could not fill as the content of the file.
        let pieces = max(1, count * size >> 20)
        for piece in 0..<pieces where status == 0 {
            let (from, end) = (count * piece / pieces, count * (piece + 1) / pieces)
            let byteCount = (end - from) * size
            let bytes = Self.room(for: byteCount, at: start + from, end - from)
            // CFITSIO accesses an image as a table with one row.
            bytes.withMemoryRebound(to: UInt8.self, capacity: byteCount) { bytes in
                _ = ffgtbb(file.handle, 1, Int64((first + from) * size + 1), Int64(byteCount), bytes, &status)
            }
            if status == 0 { convertNumbers(start + from, end - from) }
        }
    }

    /// Where the stored bytes of `count` pixels are read to: the end of the pixels' memory.
    static func room(
        for byteCount: Int, at pixels: UnsafeMutablePointer<Float>, _ count: Int
    ) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(pixels + count) - byteCount
    }

    /// Converts stored numbers, which were read to ``room(for:at:_:)``, to pixels.
    func convertNumbers(_ pixels: UnsafeMutablePointer<Float>, _ count: Int) {
        if let plainShorts {
            skyfarm_floats_of_shorts(Self.room(for: 2 * count, at: pixels, count), count, plainShorts, pixels)
        } else {
            skyfarm_swap_floats(pixels, count)
        }
    }

    /// A NaN that no image contains: where it remains, CFITSIO has not written a pixel.
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

    /// Whether a pixel has not been written. Checks all pixels without an early exit, which is faster with SIMD
    /// instructions.
    private static func hasUnread(_ pixels: UnsafeMutableBufferPointer<Float>) -> Bool {
        let pattern = unread.bitPattern
        var found: UInt32 = 0
        for pixel in pixels { found |= pixel.bitPattern == pattern ? 1 : 0 }
        return found != 0
    }
}
