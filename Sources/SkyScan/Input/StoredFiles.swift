internal import ScanCluster
internal import SkyCalibration
internal import SkyFITS

/// The stored samples of an image and its maps, for reading by any number of threads at a time.
struct StoredFiles: Sendable {
    private let image: StoredSamples
    private let weights: StoredSamples?
    private let mask: StoredSamples?
    private let calibration: CalibratedImage?

    /// The stored samples of `files`, which are open as `bytes`; nil if one of them has none.
    init?(_ files: ImageFiles, in bytes: OpenFiles) {
        func samples(_ image: FITSImage?, _ bytes: StoredBytes?) -> StoredSamples? {
            guard let image, let bytes else { return nil }
            return StoredSamples(image, in: bytes)
        }
        guard let image = samples(files.image, bytes.image) else { return nil }
        self.image = image
        calibration = files.calibration
        (weights, mask) = (samples(files.weights, bytes.weights), samples(files.mask, bytes.mask))
        guard (weights == nil) == (files.weights == nil), (mask == nil) == (files.mask == nil) else { return nil }
    }

    /// Bytes of the files per pixel of the image, if samples may travel as they are stored.
    var bytesPerPixel: Double {
        calibration != nil
            ? .infinity : image.bytesPerPixel + (weights?.bytesPerPixel ?? 0) + (mask?.bytesPerPixel ?? 0)
    }

    /// The pixels of a window, as ``ImageFiles/read(_:)`` reads them.
    /// - Throws: ``ImageError``, whose words are not for users.
    func pixels(_ window: WindowPixels) throws -> BulkBytes {
        try BulkBytes(byteCount: window.byteCount) { bytes in
            let parts = window.split(bytes)
            if let calibration {
                let bits = mask == nil ? parts.bits : nil
                try calibration.read(window.rect, into: parts.samples, bits: bits, isCut: image.table == nil) {
                    try image.readPixels($0, into: $1)
                }
            } else {
                try image.readPixels(window.rect, into: parts.samples)
            }
            if let target = parts.weights { try weights?.readPixels(window.rect, into: target) }
            if let target = parts.mask, let mask {
                try window.readMask(into: target) { try mask.readPixels(window.rect, into: $0) }
            }
        }
    }

    /// Asks the system to read the samples of a window from the disk, and does not wait.
    func expect(_ window: WindowPixels) {
        // The window has other samples.
        if calibration != nil { return }
        for samples in [image, weights, mask] { samples?.expect(window.rect) }
    }

    /// The bytes of a window in packed form; nil if it has none, or, unless `mayBeLonger`, none that is shorter than its
    /// pixels.
    /// - Throws: ``ImageError`` if a file cannot be read.
    func read(_ window: WindowPixels, mayBeLonger: Bool = false) throws -> BulkBytes? {
        let raw = calibration?.reduction.steps.rawWindow(of: window.rect) ?? window.rect
        guard let imagePiece = image.piece(of: raw) else { return nil }
        let weightsPiece = weights?.piece(of: window.rect)
        let maskPiece = mask?.piece(of: window.rect)
        // The mask of a calibration is made with the pixels.
        let hasMask = window.hasMask && (calibration == nil || mask != nil)
        guard (weightsPiece != nil) == window.hasWeights, (maskPiece != nil) == hasMask else { return nil }
        let coding: [UInt8]
        if let calibration {
            guard let frame = PackedFrame(window, calibration, imagePiece, weightsPiece, maskPiece) else { return nil }
            coding = try frame.head()
        } else {
            coding = try PackedWindow.coding(of: window, imagePiece, weights: weightsPiece, mask: maskPiece)
        }
        let pieces = [(image, imagePiece), (weights, weightsPiece), (mask, maskPiece)].compactMap { samples, piece in
            samples.flatMap { samples in piece.map { (samples, $0) } }
        }
        let count = pieces.reduce(coding.count) { $0 + $1.1.byteCount }
        guard mayBeLonger || count < window.byteCount else { return nil }
        return try BulkBytes(byteCount: count, unpackedCount: window.byteCount) { bytes in
            bytes.copyBytes(from: coding)
            var end = coding.count
            for (samples, piece) in pieces {
                let range = end..<end + piece.byteCount
                try samples.read(piece, into: UnsafeMutableRawBufferPointer(rebasing: bytes[range]))
                end = range.upperBound
            }
        }
    }
}
