extension FITSImage {
    /// Reads a window from the bytes of a ``StoredPiece``, which may come from the network, with the same result as
    /// ``read(rows:columns:into:)`` of the image.
    /// - Parameters:
    ///   - piece: the bytes, which are only read.
    ///   - column: column of the window's first pixel in the image of the piece.
    ///   - row: row of the window's first pixel in the image of the piece.
    ///   - size: width and height of the window.
    ///   - pixels: room for the pixels of the window.
    /// - Throws: ``ImageError`` if the bytes are not a piece, if the piece does not contain the window, or if samples
    ///   cannot be read.
    package static func read(
        piece: UnsafeRawBufferPointer, column: Int, row: Int, size: (width: Int, height: Int),
        into pixels: UnsafeMutableBufferPointer<Float>
    ) throws(ImageError) {
        let name = "the stored samples"
        let file = try FITSFile(memory: FITSBytes(piece), name: name)
        let image = try FITSImage(file, ImageLocation(path: name, selector: .firstImage))
        guard (0...image.width).contains(column), (0...image.height).contains(row),
            (0...image.width - column).contains(size.width), (0...image.height - row).contains(size.height)
        else {
            throw ImageError(
                .noImage,
                "\(name): have \(image.width) by \(image.height) pixels, not \(size.width) by \(size.height) from "
                    + "\(column), \(row)")
        }
        guard (image.tileCheck?.tileArea ?? 0) <= StoredPiece.tileLimit(area: size.width * size.height) else {
            throw ImageError(.tooLarge, "\(name): have tiles that are larger than the window")
        }
        try image.read(rows: row..<row + size.height, columns: column..<column + size.width, into: pixels)
    }
}
