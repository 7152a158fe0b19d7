/// The islands of a window whose sources are wanted, by their bounding boxes; the others need not be deblended and
/// measured. Boxes, rows and pixels are in image coordinates, unless ``moved(to:)`` says otherwise.
struct IslandSelection {
    /// An island is complete if its box lies within this rectangle.
    var complete: PixelRect
    /// The last row of an island lies within these rows.
    var lastRows: Range<Int>
    /// An island contains one of these pixels; nil: any island.
    var pixels: [(x: Int, y: Int)]?

    /// The islands that `band` owns and that are complete in its `extracted` part.
    init(of band: Band, extracted: PixelRect, margin: IslandMargin, image: PixelRect) {
        (complete, lastRows) = (margin.inner(of: extracted, in: image), band.core.y)
    }

    /// The complete islands of `window` that may contain one of `pixels`.
    init(in window: PixelRect, containing pixels: [(x: Int, y: Int)], margin: IslandMargin, image: PixelRect) {
        (complete, lastRows, self.pixels) = (margin.inner(of: window, in: image), window.y, pixels)
    }

    /// Whether an island with this box may be one of them.
    func contains(_ box: PixelRect) -> Bool {
        complete.contains(box) && lastRows.contains(box.y.upperBound - 1)
            && pixels?.contains { box.contains(x: $0.x, y: $0.y) } ?? true
    }

    /// The selection in the coordinates of `window`.
    func moved(to window: PixelRect) -> IslandSelection {
        let (dx, dy) = (window.x.lowerBound, window.y.lowerBound)
        func moved(_ range: Range<Int>, _ offset: Int) -> Range<Int> {
            range.lowerBound - offset..<range.upperBound - offset
        }
        var copy = self
        copy.complete = PixelRect(x: moved(complete.x, dx), y: moved(complete.y, dy))
        copy.lastRows = moved(lastRows, dy)
        copy.pixels = pixels?.map { ($0.x - dx, $0.y - dy) }
        return copy
    }
}

extension IslandMargin {
    /// The part of `window` in which an island is the same as in the whole `image`: see ``isComplete(_:in:of:)``.
    func inner(of window: PixelRect, in image: PixelRect) -> PixelRect {
        func range(_ window: Range<Int>, _ margin: Int, _ image: Range<Int>) -> Range<Int> {
            let low = window.lowerBound <= image.lowerBound ? window.lowerBound : window.lowerBound + margin
            let high = window.upperBound >= image.upperBound ? window.upperBound : window.upperBound - margin
            return low..<max(low, high)
        }
        return PixelRect(x: range(window.x, x, image.x), y: range(window.y, y, image.y))
    }
}
