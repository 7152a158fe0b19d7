import SkyFITS

extension BackgroundModel {
    /// The level, or the noise, of each pixel of the image's rows `rows`: what a scan subtracts there.
    /// - Throws: ``ScanSetupError``, ``MemoryError``.
    package func samples(of mesh: SmoothedMesh, rows: Range<Int>) throws -> [Float] {
        var slice = slice(of: mesh, noise: nil, rows: rows)
        (slice.varianceScale, slice.hasMask) = (nil, false)
        let rect = PixelRect(x: 0..<width, y: rows)
        // 0 minus the level, exactly.
        return try [Float](repeating: 0, count: rect.area).withUnsafeBufferPointer { zeros in
            let window = try PreparedPixels.subtracting(slice, from: PixelView(rect: rect, pixels: zeros))
            return (0..<rect.area).map { 0 - window.pixels[$0] }
        }
    }
}
