package import ScanCluster
package import SkyCalibration
internal import SkyFITS

/// The search for cosmic rays in a band of a calibrated image.
///
/// Its bulk bytes are the pixels of the band and its margin, with the bits of their mask. The output has the pixels of
/// cosmic rays alone, since no other pixel changes.
package struct CosmicRayTask: WindowTask {
    package static let typeName = "sky.cosmic-rays/1"

    /// The cosmic rays of a band.
    package struct Output: Codable, Equatable, Sendable {
        /// Numbers of their pixels in the band, in raster order, ascending.
        package var pixels: [UInt32]
        /// The values that replace these pixels.
        package var values: [Float]
    }

    /// Number of the band, from 0.
    package let id: Int
    /// The band with its margin.
    package let window: WindowPixels
    /// Rows of the band in the image.
    package let rows: Range<Int>
    let parameters: CosmicRayParameters
    /// Levels of the whole image; nil if the band is all of it.
    let levels: RayLevels?

    package var cost: Double { 2.5 * Double(window.rect.area) }

    package func scan(_ context: ScanContext) throws -> Output {
        try window.rect.validate()
        guard !rows.isEmpty, rows.lowerBound >= window.rect.y.lowerBound, rows.upperBound <= window.rect.y.upperBound,
            window.hasMask, !window.hasWeights, (0...100).contains(parameters.niter)
        else { throw ScanSetupError("the rows \(rows) of \(window.rect) cannot be searched for cosmic rays") }
        return try window.withView(for: context) { view in
            let search = CosmicRaySearch(parameters, width: window.rect.width, height: window.rect.height)
            let start = window.rect.y.lowerBound
            let found = search.rays(
                Array(UnsafeBufferPointer(start: view.pixels, count: window.rect.area)),
                bits: Array(UnsafeBufferPointer(start: view.mask, count: window.rect.area)),
                in: rows.lowerBound - start..<rows.upperBound - start, levels)
            return Output(pixels: found.pixels.map { UInt32($0) }, values: found.values)
        }
    }

    package func validate(_ output: Output) throws {
        let count = UInt32(clamping: rows.count * window.rect.width)
        guard output.pixels.count == output.values.count, output.pixels.last.map({ $0 < count }) ?? true,
            zip(output.pixels, output.pixels.dropFirst()).allSatisfy({ $0 < $1 })
        else { throw ScanSetupError("the pixels of cosmic rays are in no band of \(rows.count) rows") }
    }
}

extension ImageReader {
    /// The levels of a calibrated image in whose bands cosmic rays are to be searched; nil if no pixel can be searched.
    /// - Throws: as ``read(_:at:)``.
    package func rayLevels(_ parameters: CosmicRayParameters) throws -> RayLevels? {
        let whole = PixelRect(x: 0..<summary.width, y: 0..<summary.height)
        let window = WindowPixels(rect: whole, hasWeights: false, hasMask: true)
        return try window.withView(of: read(window)) { view in
            CosmicRaySearch(parameters, width: whole.width, height: whole.height).levels(
                Array(UnsafeBufferPointer(start: view.pixels, count: whole.area)),
                bits: Array(UnsafeBufferPointer(start: view.mask, count: whole.area)))
        }
    }
}
