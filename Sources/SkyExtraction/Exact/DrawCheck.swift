import SkyFITS

/// Finds out from blends whether libsep's draw is fixed.
///
/// A symbol look-up alone is no proof: where libraries bind their symbols directly, as on macOS, libsep may call
/// another function than the one that is found.
package enum DrawCheck {
    // Two copies of a blend, side by side, are two islands.
    private static let (width, height) = (32, 32)

    /// True if SEP deblends two copies of a blend alike, with pixels that it assigns by draw.
    ///
    /// With a draw that is not fixed, the second copy gets other draws than the first.
    package static func deblendsAlike() throws -> Bool {
        let rect = PixelRect(x: 0..<2 * width, y: 0..<height)
        let pixels = rect.y.flatMap { y in rect.x.map { x in blend(x: x % width, y: y) } }
        let none = BackgroundSlice.Rows(values: [0], derivatives: [0])
        let background = BackgroundSlice(
            width: rect.width, height: rect.height, meshWidth: rect.width, meshHeight: rect.height, columns: 1, rows: 1,
            firstRow: 0, level: none, globalNoise: 1, hasMask: false)
        return try pixels.withUnsafeBufferPointer { pixels in
            let window = try ScanWindow.subtracting(background, from: PixelView(rect: rect, pixels: pixels))
            let catalog = try ExtractedCatalog(window, rows: height, parameters: ScanParameters(), kernel: .sep)
            let sources = catalog.table(of: [0..<catalog.count], in: rect)
            let left = sources.x.indices.filter { sources.xmax[$0] < width }
            let right = sources.x.indices.filter { sources.xmin[$0] >= width }
            return left.count > 1 && left.count + right.count == sources.count
                && sources.npix.selecting(left) == sources.npix.selecting(right)
                && sources.flux.selecting(left) == sources.flux.selecting(right)
        }
    }

    /// Three sources of equal size in a square, on a pedestal of pixels that belong to none of them.
    private static func blend(x: Int, y: Int) -> Float {
        guard (3..<29).contains(x), (3..<29).contains(y) else { return 0 }
        let peaks = [(x: 10, y: 10), (x: 21, y: 12), (x: 15, y: 22)]
        return peaks.reduce(10) { sum, peak in
            let distance = (x - peak.x) * (x - peak.x) + (y - peak.y) * (y - peak.y)
            return sum + 400 / Float(4 + distance)
        }
    }
}
