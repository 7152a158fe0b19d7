package import SkyFITS

/// The islands of a window whose sources are wanted, by their bounding boxes in image coordinates; the others need not be
/// deblended and measured.
package struct IslandSelection {
    private let window: PixelRect
    private let image: PixelRect
    private let margin: IslandMargin
    private let lastRows: Range<Int>
    private let pixels: [(x: Int, y: Int)]?

    /// The islands that `band` owns, if they are complete in its `extracted` part.
    package init(of band: Band, extracted: PixelRect, margin: IslandMargin, image: PixelRect) {
        (window, self.margin, self.image) = (extracted, margin, image)
        (lastRows, pixels) = (band.core.y, nil)
    }

    /// The complete islands of `window` that may contain one of `pixels`.
    package init(in window: PixelRect, containing pixels: [(x: Int, y: Int)], margin: IslandMargin, image: PixelRect) {
        (self.window, self.margin, self.image) = (window, margin, image)
        (lastRows, self.pixels) = (window.y, pixels)
    }

    /// Whether an island with this box may be one of them.
    package func contains(_ box: PixelRect) -> Bool {
        margin.isComplete(box, in: window, of: image) && lastRows.contains(box.y.upperBound - 1) && holdsPixel(box)
    }

    /// Whether an island with this box, complete or not, may contain one of the pixels.
    package func holdsPixel(_ box: PixelRect) -> Bool { pixels?.contains { box.contains(x: $0.x, y: $0.y) } ?? true }
}
