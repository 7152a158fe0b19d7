package import SkyFITS

/// Borrowed pixels of a rectangle of an image. Valid only as long as the memory behind it.
package struct PixelView {
    /// Which pixels of the image these are.
    package let rect: PixelRect
    /// Elements from one row to the next, in all three arrays.
    package let stride: Int
    /// Samples, row by row.
    package let pixels: UnsafePointer<Float>
    /// The user's mask: a pixel is masked where the byte is not 0.
    package let mask: UnsafePointer<UInt8>?
    /// Weights, inversely proportional to the variance. A pixel is masked unless its weight is positive and finite.
    package let weights: UnsafePointer<Float>?
    /// Whether this is the only reference to the samples and no later scan needs them: a scan may overwrite them.
    package var isOverwritable = false
    /// Whether the result is no longer wanted: a scan then ends early.
    package var isCancelled: @Sendable () -> Bool = { false }

    /// A view of contiguous arrays that hold exactly the pixels of `rect`.
    /// - Throws: ``ScanSetupError`` if an array has another size.
    package init(
        rect: PixelRect, pixels: UnsafeBufferPointer<Float>, mask: UnsafeBufferPointer<UInt8>? = nil,
        weights: UnsafeBufferPointer<Float>? = nil
    ) throws(ScanSetupError) {
        guard !rect.isEmpty, let base = pixels.baseAddress, pixels.count == rect.area else {
            throw ScanSetupError("\(pixels.count) pixels given for a rectangle of \(rect.width) by \(rect.height)")
        }
        if let mask, mask.count != rect.area {
            throw ScanSetupError("the mask has \(mask.count) pixels, the image \(rect.area)")
        }
        if let weights, weights.count != rect.area {
            throw ScanSetupError("the weight map has \(weights.count) pixels, the image \(rect.area)")
        }
        self.rect = rect
        stride = rect.width
        self.pixels = base
        self.mask = mask?.baseAddress
        self.weights = weights?.baseAddress
    }

    private init(parent: PixelView, rect: PixelRect) {
        let offset =
            (rect.y.lowerBound - parent.rect.y.lowerBound) * parent.stride + rect.x.lowerBound
            - parent.rect.x.lowerBound
        self.rect = rect
        stride = parent.stride
        pixels = parent.pixels + offset
        mask = parent.mask.map { $0 + offset }
        weights = parent.weights.map { $0 + offset }
        isOverwritable = parent.isOverwritable
        isCancelled = parent.isCancelled
    }

    /// - Throws: `CancellationError` if the result is no longer wanted.
    package func checkCancellation() throws {
        if isCancelled() { throw CancellationError() }
    }

    /// The part of this view that shows `rect`.
    /// - Throws: ``ScanSetupError`` if this view does not hold all of it.
    package func cropped(to rect: PixelRect) throws(ScanSetupError) -> PixelView {
        guard !rect.isEmpty, self.rect.contains(rect) else {
            throw ScanSetupError("pixels \(rect) are required, but only \(self.rect) were given")
        }
        return PixelView(parent: self, rect: rect)
    }
}
