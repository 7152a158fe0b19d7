internal import ScanCluster
internal import SkyImage

/// An image and its maps, open for reading by one thread at a time.
struct ImageFiles {
    let image: FITSImage
    let mask: FITSImage?
    let weights: FITSImage?

    /// Whether pixels are decompressed on each read.
    var isTileCompressed: Bool { [image, mask, weights].contains { $0?.isTileCompressed == true } }

    /// Reads the samples, weights and mask of a window.
    /// - Throws: ``ImageError`` if the samples cannot be read.
    func read(_ window: WindowPixels) throws -> BulkBytes {
        try BulkBytes(byteCount: window.byteCount) { bytes in
            let parts = window.split(bytes)
            let (rows, columns) = (window.rect.y, window.rect.x)
            try image.read(rows: rows, columns: columns, into: parts.samples)
            if let target = parts.weights { try weights?.read(rows: rows, columns: columns, into: target) }
            if let target = parts.mask { try readMask(rows, columns, into: target) }
        }
    }

    private func readMask(
        _ rows: Range<Int>, _ columns: Range<Int>, into target: UnsafeMutableRawBufferPointer
    ) throws {
        let values = UnsafeMutableBufferPointer<Float>.allocate(capacity: target.count)
        defer { values.deallocate() }
        try mask?.read(rows: rows, columns: columns, into: values)
        for index in target.indices { target[index] = values[index] == 0 ? 0 : 1 }
    }
}
