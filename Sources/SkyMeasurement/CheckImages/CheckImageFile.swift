package import ScanBasics
package import SkyFITS

/// A FITS file of the check images of one kind, an HDU for each image of the scanned file.
///
/// If its name ends in `.fz`, the images are stored in compressed tiles, without loss. The file gets its name in
/// ``finish()``.
package final class CheckImageFile {
    /// The kind of pixels in it.
    package let image: CheckImage
    private let file: FITSFileWriter
    private let isCompressed: Bool

    /// Creates the file for images of the kind `image`. The first is the primary HDU if it is the `isOnly` one and the
    /// tiles are not compressed.
    /// - Throws: ``OutputError``.
    package convenience init(_ image: CheckImage, path: String, isOnly: Bool, overwrite: Bool) throws(OutputError) {
        try self.init(image, path: path, in: AtomicFile(path: path, overwrite: overwrite), isOnly: isOnly)
    }

    /// As above, in a new file.
    package init(_ image: CheckImage, path: String, in file: AtomicFile, isOnly: Bool) throws(OutputError) {
        self.image = image
        isCompressed = path.hasSuffix(".fz")
        self.file = try FITSFileWriter(path: path, in: file)
        if !isOnly || isCompressed { try self.file.addEmptyImage() }
    }

    /// Begins the HDU of an image.
    /// - Parameters:
    ///   - width: pixels per row.
    ///   - height: number of rows.
    ///   - header: of the scanned image; cards that do not depend on its samples are kept.
    ///   - scale: sides of a pixel in pixels of the scanned image, whose coordinates the header has.
    /// - Throws: ``OutputError``.
    package func begin(
        width: Int, height: Int, header: FITSHeader, scale: (x: Int, y: Int) = (1, 1)
    ) throws(OutputError) {
        let isInteger = image == .segmentation
        try file.addImage(width: width, height: height, isInteger ? .int32 : .float32, isCompressed: isCompressed)
        for index in 0..<header.count {
            let card = header[index]
            if FITSFileWriter.isStructural(card) || FITSFileWriter.isUnit(card) && isInteger { continue }
            try file.write(card: card)
        }
        for (axis, scale) in [(1, scale.x), (2, scale.y)] where scale != 1 { try magnify(axis, by: scale, header) }
    }

    /// Appends samples in raster order, of a segmentation.
    /// - Throws: ``OutputError`` with `noSpace` or `failed`.
    package func write(_ samples: [Int32]) throws(OutputError) { try file.write(samples) }

    /// Appends samples in raster order, of an image that is no segmentation.
    /// - Throws: ``OutputError`` with `noSpace` or `failed`.
    package func write(_ samples: [Float]) throws(OutputError) { try file.write(samples) }

    /// Gives the file its name, once all samples of its images are written.
    /// - Throws: ``OutputError``; the final name is then untouched.
    package func finish() throws(OutputError) { try file.finish() }

    /// Changes the coordinates of an axis to those of pixels `scale` times as large.
    private func magnify(_ axis: Int, by scale: Int, _ header: FITSHeader) throws(OutputError) {
        if let value = header.number("CRPIX\(axis)") {
            try file.setReal("CRPIX\(axis)", (value - 0.5) / Double(scale) + 0.5)
        }
        let matrix = (1...2).map { "CD\($0)_\(axis)" }.filter { header.number($0) != nil }
        for key in matrix.isEmpty ? ["CDELT\(axis)"] : matrix {
            if let value = header.number(key) { try file.setReal(key, value * Double(scale)) }
        }
    }
}
