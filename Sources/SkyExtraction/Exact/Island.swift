internal import CSkyKernel
package import SkyFITS

/// An 8-connected region above the threshold: one object or the branches of a blend.
package struct Island {
    /// Its objects, consecutive in SEP's order.
    package var objects: Range<Int>
    /// Bounding box of its pixels, in image coordinates.
    package var box: PixelRect
    /// Its last pixel in raster order, in image coordinates: where SEP completes it; unique in the image.
    package var key: IslandKey
}

/// Last pixel of an island in raster order. SEP's catalogue is sorted by it.
package struct IslandKey: Hashable, Comparable, Sendable {
    package var row: Int32
    /// The island's last column in that row.
    package var column: Int32

    package init(row: Int32, column: Int32) {
        self.row = row
        self.column = column
    }

    package static func < (left: IslandKey, right: IslandKey) -> Bool {
        (left.row, left.column) < (right.row, right.column)
    }
}

/// Distance within which pixels affect an island, and so its minimum distance from a window's edge.
package struct IslandMargin: Codable, Hashable, Sendable {
    /// Columns around an island that affect it.
    package var x: Int
    /// Rows around an island that affect it.
    package var y: Int

    /// The margin under `parameters`: the kernel's reach, the rows on which SEP ignores the mask beyond that, and one
    /// more pixel, at which SEP reads the threshold.
    package init(parameters: ScanParameters) {
        let kernel = parameters.activeKernel
        x = (kernel?.width ?? 1) / 2 + 1
        y = 2 * ((kernel?.height ?? 1) / 2) + 2
    }

    /// True if an island with this bounding box is the same in `window` as in the whole `image`.
    package func isComplete(_ box: PixelRect, in window: PixelRect, of image: PixelRect) -> Bool {
        window.contains(box.expanded(x: x, y: y).clamped(to: image))
    }
}

extension Island {
    /// The island of these objects, whose pixels are listed at `pixels`, in the window `rect`.
    init(_ arrays: skyfarm_sources, objects: Range<Int>, pixels: Range<Int>, in rect: PixelRect) {
        var last: Int32 = 0
        for offset in pixels { last = max(last, arrays.pixels[offset]) }
        var x = Int(arrays.xmin[objects.lowerBound])..<Int(arrays.xmax[objects.lowerBound]) + 1
        var y = Int(arrays.ymin[objects.lowerBound])..<Int(arrays.ymax[objects.lowerBound]) + 1
        for object in objects.dropFirst() {
            x = min(x.lowerBound, Int(arrays.xmin[object]))..<max(x.upperBound, Int(arrays.xmax[object]) + 1)
            y = min(y.lowerBound, Int(arrays.ymin[object]))..<max(y.upperBound, Int(arrays.ymax[object]) + 1)
        }
        let (row, column) = Int(last).quotientAndRemainder(dividingBy: rect.width)
        self.objects = objects
        box = PixelRect(
            x: x.lowerBound + rect.x.lowerBound..<x.upperBound + rect.x.lowerBound,
            y: y.lowerBound + rect.y.lowerBound..<y.upperBound + rect.y.lowerBound)
        key = IslandKey(row: Int32(row + rect.y.lowerBound), column: Int32(column + rect.x.lowerBound))
    }
}
