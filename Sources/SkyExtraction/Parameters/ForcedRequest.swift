package import SkyFITS

/// Photometry at given positions instead of those of sources.
public struct ForcedRequest: Codable, Hashable, Sendable {
    /// Diameters of the circular apertures, in pixels. 1 to ``MeasurementRequest/Limits/apertureCount``; 5 by default.
    public var apertures = [5.0]
    /// Upper limits in units of the noise of the aperture. Positive; 3 by default.
    public var limit = 3.0
    /// Checksum of the list of positions, so that the journals of different lists differ.
    public var list: UInt64 = 0

    /// Circles of 5 pixels, and limits of 3 times the noise.
    public init() {}

    /// Refuses an invalid request.
    /// - Throws: ``ScanSetupError`` that names the value.
    package func validate() throws(ScanSetupError) {
        var request = MeasurementRequest()
        request.apertures = apertures
        try request.validate()
        guard limit > 0, limit.isFinite else {
            throw ScanSetupError("upper limits must be positive multiples of the noise, not \(limit)")
        }
    }
}

/// The fluxes at some positions: a row of apertures per position.
public struct ForcedTable: Codable, Equatable, Sendable {
    /// Fluxes; NaN where nothing could be measured.
    public var flux: [Double]
    /// Their errors: the noise of the image and, with a gain, the photon noise of the source.
    public var fluxErr: [Double]
    /// The noise of the image in the aperture.
    public var noise: [Double]
    /// SEP's flags, and 256 where nothing could be measured.
    public var flag: [Int16]

    /// A table of `count` values that are not measured.
    package init(unmeasured count: Int) {
        (flux, fluxErr, noise) = (
            Array(repeating: .nan, count: count), Array(repeating: .nan, count: count),
            Array(repeating: .nan, count: count)
        )
        flag = Array(repeating: Photometry.notMeasured, count: count)
    }

    /// Whether all columns have `count` values.
    package func isRectangular(count: Int) -> Bool {
        [flux.count, fluxErr.count, noise.count, flag.count].allSatisfy { $0 == count }
    }

    /// Replaces the `width` values of the position at `index` by those at `position` of another table.
    package mutating func copy(from other: ForcedTable, _ position: Int, to index: Int, width: Int) {
        let (from, to) = (position * width..<(position + 1) * width, index * width..<(index + 1) * width)
        flux.replaceSubrange(to, with: other.flux[from])
        fluxErr.replaceSubrange(to, with: other.fluxErr[from])
        noise.replaceSubrange(to, with: other.noise[from])
        flag.replaceSubrange(to, with: other.flag[from])
    }
}
