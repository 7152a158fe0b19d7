/// A small copy of an image, in the image's unit. Its first row is the first of the file, which viewers show at the
/// bottom.
public struct Preview: Equatable, Sendable {
    /// Columns.
    public let width: Int
    /// Rows.
    public let height: Int
    /// Pixels of the image along each side of a pixel of the preview.
    public let factor: Int
    /// Means, row by row; not a number where the image has no finite pixel.
    public let pixels: [Float]
    /// How values become shades of the picture.
    public let stretch: Stretch

    /// A preview of these pixels.
    public init(width: Int, height: Int, factor: Int, pixels: [Float]) {
        precondition(width > 0 && height > 0 && pixels.count == width * height, "a preview has pixels")
        (self.width, self.height, self.factor, self.pixels) = (width, height, factor, pixels)
        stretch = Stretch(pixels)
    }

    /// What a page needs to place the picture over the image.
    public var scale: Scale { Scale(factor: factor, stretch: stretch) }

    /// How pixels and shades of the picture relate to those of the image.
    public struct Scale: Encodable, Equatable, Sendable {
        /// See ``Preview/factor``.
        package let factor: Int
        package let stretch: Stretch
    }

    /// The preview as a grey PNG file, with the last row on top.
    /// - Throws: ``PNGError``.
    public func png() throws(PNGError) -> [UInt8] {
        try PNG.encode(grey: pixels.map(stretch.shade), width: width, height: height)
    }

    /// A smaller preview, whose longest side has at most `limit` pixels: each the mean of a square of these.
    public func thumbnail(limit: Int) -> Preview {
        var builder = PreviewBuilder(width: width, height: height, limit: limit)
        pixels.withUnsafeBufferPointer { builder.add(rows: $0) }
        let small = builder.finish()
        return Preview(
            width: small.width, height: small.height, factor: factor * small.factor, pixels: small.pixels)
    }
}
