package import ScanCluster
package import SkyCalibration
package import SkyFITS

/// An image and its maps, open for reading by one thread at a time.
package struct ImageFiles {
    package let image: FITSImage
    package let mask: FITSImage?
    package let weights: FITSImage?
    /// The calibration that the samples of the image pass through; nil if they are its pixels.
    package var calibration: CalibratedImage?

    package init(image: FITSImage, mask: FITSImage? = nil, weights: FITSImage? = nil) {
        (self.image, self.mask, self.weights) = (image, mask, weights)
    }

    /// Number of pixels per row, and of rows, as they are scanned.
    var size: (width: Int, height: Int) {
        calibration.map { ($0.width, $0.height) } ?? (image.width, image.height)
    }

    /// Whether pixels are decompressed on each read.
    package var isTileCompressed: Bool { [image, mask, weights].contains { $0?.isTileCompressed == true } }

    /// Whether reading pixels takes little more than copying them.
    var isPlainFloats: Bool {
        calibration == nil
            && [image, mask, weights].allSatisfy { $0.map { $0.bitpix == -32 && !$0.isTileCompressed } ?? true }
    }

    /// Checks that nobody has written to the files since before they were opened.
    /// - Throws: ``ImageError`` with `changed`.
    package func requireUnchanged() throws(ImageError) {
        try image.stored.requireUnchanged()
        try mask?.stored.requireUnchanged()
        try weights?.stored.requireUnchanged()
        try calibration?.requireUnchanged()
    }

    /// Reads the pixels of a window of the image alone, and the bits of a calibration's mask if there is room for them.
    /// - Throws: ``ImageError`` if the samples cannot be read; what a calibration throws.
    func readPixels(
        _ window: PixelRect, into pixels: UnsafeMutableBufferPointer<Float>,
        bits: UnsafeMutableBufferPointer<UInt8>? = nil
    ) throws {
        guard let calibration else { return try image.read(rows: window.y, columns: window.x, into: pixels) }
        try calibration.read(window, into: pixels, bits: bits, isCut: !image.isTileCompressed) { [image] raw, target in
            try image.read(rows: raw.y, columns: raw.x, into: target)
        }
    }

    /// Reads the pixels, weights and mask of a window.
    /// - Throws: ``ImageError`` if the samples cannot be read; what a calibration throws.
    package func read(_ window: WindowPixels) throws -> BulkBytes {
        try BulkBytes(byteCount: window.byteCount) { bytes in
            let parts = window.split(bytes)
            let (rows, columns) = (window.rect.y, window.rect.x)
            try readPixels(window.rect, into: parts.samples, bits: mask == nil ? parts.bits : nil)
            if let target = parts.weights { try weights?.read(rows: rows, columns: columns, into: target) }
            if let target = parts.mask, let mask {
                try window.readMask(into: target) { try mask.read(rows: rows, columns: columns, into: $0) }
            }
        }
    }
}

/// The same files, open for reading their bytes without CFITSIO: those that were opened, whatever replaces them.
package struct OpenFiles {
    package let image: StoredBytes
    package let mask: StoredBytes?
    package let weights: StoredBytes?
    private let calibration: CalibratedImage?

    /// Opens them.
    /// - Throws: ``ImageError``.
    package init(_ files: ImageFiles) throws(ImageError) {
        image = try files.image.stored.opened()
        mask = try files.mask?.stored.opened()
        weights = try files.weights?.stored.opened()
        calibration = files.calibration
    }

    /// Checks that nobody has written to them since before they were opened as images.
    /// - Throws: ``ImageError`` with `changed`.
    package func requireUnchanged() throws(ImageError) {
        try image.requireUnchanged()
        try mask?.requireUnchanged()
        try weights?.requireUnchanged()
        try calibration?.requireUnchanged()
    }
}
