/// A reduced copy of an image, in the image's unit. Its first row is the first row of the file, which viewers show at
/// the bottom.
public struct Preview: Equatable, Sendable {
    /// Number of columns.
    public let width: Int
    /// Number of rows.
    public let height: Int
    /// Number of image pixels along each side of a preview pixel.
    public let factor: Int
    /// Means of image pixels, row by row; NaN where the image has no finite pixel.
    public let pixels: [Float]
    /// Mapping from values to shades of the picture.
    public let stretch: Stretch

    /// Creates a preview and derives its stretch from the pixels.
    public init(width: Int, height: Int, factor: Int, pixels: [Float]) {
        precondition(width > 0 && height > 0 && pixels.count == width * height, "a preview has pixels")
        (self.width, self.height, self.factor, self.pixels) = (width, height, factor, pixels)
        stretch = Stretch(pixels)
    }

    /// The data with which a page places the picture over the image.
    public var scale: Scale { Scale(factor: factor, stretch: stretch) }

    /// Relation between pixels and shades of the picture and those of the image.
    public struct Scale: Encodable, Equatable, Sendable {
        /// Number of image pixels along each side of a preview pixel.
        package let factor: Int
        package let stretch: Stretch
    }

    /// Encodes the preview as a grey PNG file, with the last row on top.
    public func png() -> [UInt8] {
        PNG.encode(grey: stretch.shades(pixels), width: width, height: height)
    }

    /// Returns a smaller preview whose longest side has at most `limit` pixels, each the mean of a square of pixels.
    public func thumbnail(limit: Int) -> Preview {
        var builder = PreviewBuilder(width: width, height: height, limit: limit)
        pixels.withUnsafeBufferPointer { builder.add(rows: $0) }
        return builder.finish(from: factor)
    }
}
