/// A small copy of an image, in the image's unit; its first row is the first of the file, which viewers show at the
/// bottom.
public struct Preview: Equatable, Sendable {
    /// Columns.
    public let width: Int
    /// Rows.
    public let height: Int
    /// Pixels of the image along each side of one of these.
    public let factor: Int
    /// Means, row by row; not a number where the image has no finite pixel.
    public let pixels: [Float]

    /// A preview of these pixels.
    public init(width: Int, height: Int, factor: Int, pixels: [Float]) {
        precondition(width > 0 && height > 0 && pixels.count == width * height, "a preview has pixels")
        (self.width, self.height, self.factor, self.pixels) = (width, height, factor, pixels)
    }

    /// The preview as a grey PNG file under ``Stretch``, with the last row on top.
    /// - Throws: ``PNGError``.
    public func png() throws(PNGError) -> [UInt8] {
        let stretch = Stretch(pixels)
        return try PNG.encode(grey: pixels.map(stretch.shade), width: width, height: height)
    }
}
