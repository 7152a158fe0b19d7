/// One band of an image: the rows it owns and the rows it reads.
public struct Band: Codable, Hashable, Sendable {
    /// Position in the plan, from 0 at the image's first row.
    public var index: Int
    /// Owned pixels: full width, rows from a multiple of the mesh height.
    public var core: PixelRect
    /// Pixels that are read: the core and its halo, cut at the image's edges.
    public var window: PixelRect
}

/// How an image is cut into full-width bands. It depends on image and parameters only, never on the number of nodes.
public struct BandPlan: Codable, Hashable, Sendable {
    /// Columns of the image.
    public var width: Int
    /// Rows of the image.
    public var height: Int
    /// Rows of each core but the last: a multiple of the mesh height.
    public var rows: Int
    /// Rows that a window has beyond its core on each side.
    public var halo: Int

    /// Fewest rows of halo: enough for all but the largest sources, which are scanned again.
    public static let defaultHalo = 64

    /// Cuts an image of `width` by `height` pixels into bands of about `requestedRows` rows.
    ///
    /// The rows are rounded up to a multiple of `meshHeight`. Without a request a band has about 12 million pixels
    /// (48 MB) at most, an image of 4096 rows or more has at least eight bands, and bands are as equal as they can be; but
    /// with a high halo they have eight times its rows.
    /// - Throws: ``ScanSetupError`` if the image is empty or a band could not be held in memory.
    public init(
        width: Int, height: Int, meshHeight: Int, requestedRows: Int? = nil, halo: Int = defaultHalo
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
        let wanted = min(requestedRows ?? Self.automaticRows(width: width, height: height, halo: self.halo), height)
        let mesh = min(meshHeight, height)
        rows = (wanted + mesh - 1) / mesh * mesh
        let windowRows = min(height, rows + 2 * self.halo)
        let (pixels, overflow) = width.multipliedReportingOverflow(by: windowRows)
        guard !overflow, pixels * MemoryLayout<Float>.size < Int(Int32.max) else {
            throw ScanSetupError(
                "a band of \(rows) rows of \(width) pixels needs more than 2 GiB; choose fewer rows or a lower mesh")
        }
    }

    private static func automaticRows(width: Int, height: Int, halo: Int) -> Int {
        let byMemory = 12_000_000 / width - 2 * halo
        let byCount = max(256, (height + 7) / 8)
        let byHalo = halo > defaultHalo ? 8 * halo : 64
        let count = (height - 1) / max(byHalo, min(byMemory, byCount)) + 1
        return (height - 1) / count + 1
    }

    /// Refuses a plan that no initialiser makes, which a decoder cannot know.
    /// - Throws: ``ScanSetupError``.
    package func validate() throws(ScanSetupError) {
        let sides = [width, height, rows, halo]
        guard sides.allSatisfy({ (1...Int(Int32.max)).contains($0) }) else {
            throw ScanSetupError("the plan of bands has impossible sides: \(sides)")
        }
    }

    /// Number of bands.
    public var count: Int { (height + rows - 1) / rows }

    /// All pixels.
    public var image: PixelRect { PixelRect(x: 0..<width, y: 0..<height) }

    /// The band at `index`.
    public subscript(index: Int) -> Band {
        let first = index * rows
        let last = min(height, first + rows)
        return Band(
            index: index, core: PixelRect(x: 0..<width, y: first..<last),
            window: PixelRect(x: 0..<width, y: max(0, first - halo)..<min(height, last + halo)))
    }

    /// The band whose core holds `row`.
    public func owner(ofRow row: Int) -> Band { self[min(max(row, 0), height - 1) / rows] }
}
