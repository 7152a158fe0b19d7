import SkyExtraction
import SkyFITS

/// The frame around a source in which its local background is measured: SExtractor's BACKPHOTO_TYPE LOCAL.
///
/// As there, pixels of other sources do not count in the rows above the last one of the source; those below were not yet
/// searched when the background was measured.
struct LocalBackground {
    /// The frame without its hole.
    private let hole: PixelRect
    /// The frame with its hole.
    let outer: PixelRect
    private let lastRow: Int

    /// The frame of this thickness around the box of a source's pixels, which is a quarter of its sides away.
    init(around box: PixelRect, thickness: Int, in image: PixelRect) {
        let (x, y) = (box.width / 4, box.height / 4)
        lastRow = box.y.upperBound - 1
        hole = box.expanded(x: x, y: y)
        outer = box.expanded(x: x + thickness, y: y + thickness).clamped(to: image)
    }

    /// The level of the pixels that count, by the estimate of a background mesh; 0 if there are none. With
    /// ``MeasurementRequest/Masking/none`` all count that are not masked.
    func level(
        _ window: borrowing PreparedPixels, _ owners: borrowing PixelOwners, _ masking: MeasurementRequest.Masking
    ) -> Float {
        var samples: [Float] = []
        samples.reserveCapacity(outer.area)
        let rect = window.rect
        for y in outer.y {
            let line = (y - rect.y.lowerBound) * rect.width - rect.x.lowerBound
            for x in outer.x where !hole.contains(x: x, y: y) {
                // No source has the number 0.
                if masking != .none && y < lastRow && owners.isForeign(line + x, to: 0) { continue }
                if let mask = window.mask, mask[line + x] != 0 { continue }
                samples.append(window.pixels[line + x])
            }
        }
        let level = MeshStatistics.level(of: samples)
        return level.isFinite ? level : 0
    }
}
