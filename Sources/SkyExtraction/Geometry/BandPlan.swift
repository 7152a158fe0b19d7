public import SkyFITS

/// One band of an image: the rows it owns and the rows it reads.
public struct Band: Codable, Hashable, Sendable {
    /// Position in the plan, from 0 at the image's first row.
    public var index: Int
    /// Owned pixels: full width, rows from a multiple of the mesh height.
    public var core: PixelRect
    /// Pixels that are read: the core and its halo, cut at the image's edges.
    public var window: PixelRect
}

/// How an image is cut into full-width bands. The catalogue does not depend on it.
public struct BandPlan: Codable, Hashable, Sendable {
    /// Columns of the image.
    public var width: Int
    /// Rows of the image.
    public var height: Int
    /// Rows of the core of each band that is not low, except the last of these: a multiple of the mesh height.
    public var rows: Int
    /// Number of low bands, about half as high as the others, at each end of the image.
    public var lowCount: Int
    /// Rows of the core of each low band except the last: a multiple of the mesh height.
    public var lowRows: Int
    /// Rows that a window has beyond its core on each side.
    public var halo: Int

    /// Fewest rows of halo: enough for all but the largest sources, which are scanned again.
    public static let defaultHalo = 64

    /// Cuts an image of `width` by `height` pixels into bands of about `requestedRows` rows.
    ///
    /// The rows are rounded up to a multiple of `meshHeight`. If `requestedRows` is nil, the heights are those with which
    /// `slots` slots are expected to finish first, see `BandHeights`.
    /// - Parameters:
    ///   - width: columns of the image.
    ///   - height: rows of the image.
    ///   - meshHeight: rows of a mesh of the background.
    ///   - requestedRows: rows of a band; nil to choose them.
    ///   - halo: rows that a window has beyond its core on each side.
    ///   - slots: slots that scan the bands; ``usualSlots`` if unknown.
    /// - Throws: `ScanSetupError` if the image is empty or a band could not be held in memory.
    public init(
        width: Int, height: Int, meshHeight: Int, requestedRows: Int? = nil, halo: Int = defaultHalo,
        slots: Int = usualSlots
    ) throws(ScanSetupError) {
        guard width > 0, height > 0 else {
            throw ScanSetupError("the image is empty (\(width) by \(height) pixels); nothing to scan")
        }
        guard meshHeight > 0 else { throw ScanSetupError("the mesh height must be positive, not \(meshHeight)") }
        if let requestedRows, requestedRows < 1 {
            throw ScanSetupError("a band must have at least one row, not \(requestedRows)")
        }
        self.width = width
        self.height = height
        self.halo = min(max(1, halo), max(Self.defaultHalo, height))
        let mesh = min(meshHeight, height)
        let heights =
            requestedRows.map { BandHeights(rows: min($0, height), mesh: mesh, isTapered: false) }
            ?? BandHeights(width: width, height: height, mesh: mesh, halo: self.halo, slots: slots)
        rows = heights.rows
        lowRows = heights.lowRows
        lowCount = heights.lowCount(ofHeight: height)
        let windowRows = min(height, rows + 2 * self.halo)
        let (pixels, overflow) = width.multipliedReportingOverflow(by: windowRows)
        guard !overflow, pixels * MemoryLayout<Float>.size < Int(Int32.max) else {
            throw ScanSetupError(
                "a band of \(rows) rows of \(width) pixels needs more than 2 GiB; choose fewer rows or a lower mesh")
        }
    }

    /// Images of up to that many pixels, 60 milliseconds of work, are not cut: seams cost more than slots gain.
    public static let wholePixelCount = 4 << 20

    /// The slots for which an image is cut if their number is unknown, or must not matter.
    public static let usualSlots = 4

    /// Refuses a plan that no initialiser makes, which decoding alone does not detect.
    /// - Throws: ``ScanSetupError``.
    package func validate() throws(ScanSetupError) {
        let sides = [width, height, rows, lowRows, halo]
        guard sides.allSatisfy({ (1...Int(Int32.max)).contains($0) }) else {
            throw ScanSetupError("the plan of bands has impossible sides: \(sides)")
        }
        guard (0...(height - 1) / lowRows / 2).contains(lowCount) else {
            throw ScanSetupError("\(lowCount) bands of \(lowRows) rows at either end leave none between them")
        }
    }

    /// Number of bands.
    public var count: Int { 2 * lowCount + tallCount }

    /// The rows of the bands that are not low.
    private var tallRows: Range<Int> {
        let low = lowCount * lowRows
        return low..<min(height, Self.roundedUp(height, to: lowRows) - low)
    }

    private static func roundedUp(_ value: Int, to step: Int) -> Int { (value + step - 1) / step * step }

    private var tallCount: Int { (tallRows.count + rows - 1) / rows }

    /// All pixels.
    public var image: PixelRect { PixelRect(x: 0..<width, y: 0..<height) }

    /// The band at `index`.
    public subscript(index: Int) -> Band {
        let tall = tallRows
        let core =
            if index < lowCount {
                index * lowRows..<(index + 1) * lowRows
            } else if index < lowCount + tallCount {
                part(index - lowCount, of: tall, rows)
            } else {
                part(index - lowCount - tallCount, of: tall.upperBound..<height, lowRows)
            }
        return Band(
            index: index, core: PixelRect(x: 0..<width, y: core),
            window: PixelRect(x: 0..<width, y: max(0, core.lowerBound - halo)..<min(height, core.upperBound + halo)))
    }

    private func part(_ index: Int, of range: Range<Int>, _ rows: Int) -> Range<Int> {
        let first = range.lowerBound + index * rows
        return first..<min(range.upperBound, first + rows)
    }

    /// The band whose core holds `row`.
    public func owner(ofRow row: Int) -> Band {
        let row = min(max(row, 0), height - 1)
        let tall = tallRows
        if row < tall.lowerBound { return self[row / lowRows] }
        if row < tall.upperBound { return self[lowCount + (row - tall.lowerBound) / rows] }
        return self[lowCount + tallCount + (row - tall.upperBound) / lowRows]
    }
}
