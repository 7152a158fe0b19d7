/// An image of stars and galaxies with known truth, rendered row by row: any rows, in any order, on any thread.
///
/// The same parameters give the same bytes on every machine (``PortableMath``). The initialiser draws ``sources``;
/// number counts grow with magnitude m as 10^(0.25 m) for stars and 10^(0.35 m) for galaxies. Rendering adds the sky
/// and the profiles of the sources (``SourceProfile``), then bleeding, noise and saturation. The noise of a row
/// (``SkyNoise``) depends only on the seed and the row. ``write(to:type:history:overwrite:progress:)`` writes the image
/// to a FITS file, and ``SyntheticTruth`` formats the truth.
public struct SyntheticSky: Sendable {
    /// The properties of the sky and the camera.
    public private(set) var parameters: Parameters
    /// The true sources, sorted by ``SyntheticSource/y``.
    public let sources: [SyntheticSource]
    /// Indices of the sources that reach further than ``nearRows``, which are considered for all rows.
    private let farReaching: [Int]

    /// Maximum reach of an ordinary source, in rows to either side.
    private static let nearRows = 48.0

    /// Definitions of the truth's columns, for the header of a file.
    public static let truthDescription = """
        x, y: pixels, the first pixel's centre is 0,0. flux: counts. snr: flux / sqrt(flux + A (sky + readnoise^2)), \
        all in electrons, A the profile's equivalent noise area, (sum p)^2 / sum p^2: what an ideal measurement of an \
        isolated source would reach
        """

    /// Draws the sources for `parameters`.
    public init(_ parameters: Parameters) {
        self.parameters = parameters
        sources = Self.draw(parameters)
        farReaching = sources.indices.filter { [sources, parameters] in
            Self.reach(of: sources[$0], parameters) > Self.nearRows
        }
    }

    /// The same sky with the noise of another random sequence.
    func withNoise(ofStream stream: UInt64) -> SyntheticSky {
        var sky = self
        sky.parameters.noiseStream = stream
        return sky
    }

    /// Renders `rows` (0-based, all within the image) in row order.
    public func render(rows: Range<Int>) -> [Float] {
        .init(unsafeUninitializedCapacity: rows.count * parameters.width) { samples, count in
            count = rows.count * parameters.width
            samples.initialize(repeating: 0)
            render(rows: rows, into: .init(rebasing: samples[..<count]))
        }
    }

    /// Renders `rows` into `samples`, which must have one element per pixel.
    package func render(rows: Range<Int>, into samples: UnsafeMutableBufferPointer<Float>) {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= parameters.height, "rows outside the image")
        var light = [Double](repeating: 0, count: rows.count * parameters.width)
        light.withUnsafeMutableBufferPointer { light in
            illuminate(light, rows: rows)
            expose(light, rows: rows, into: samples)
        }
    }

    /// Sets `light`, which has one element per pixel of `rows`, to the expected counts of sky and sources.
    func illuminate(_ light: UnsafeMutableBufferPointer<Double>, rows: Range<Int>) {
        addSky(to: light, rows: rows)
        for index in nearSources(rows) { add(sources[index], to: light, rows: rows) }
        for index in farReaching { add(sources[index], to: light, rows: rows) }
        for index in farReaching { bleed(sources[index], into: light, rows: rows) }
    }

    /// Returns the sources that may reach `rows`, without the far-reaching ones.
    private func nearSources(_ rows: Range<Int>) -> [Int] {
        let low = firstIndex(atOrAbove: Double(rows.lowerBound) - Self.nearRows - 1)
        let high = firstIndex(atOrAbove: Double(rows.upperBound) + Self.nearRows + 1)
        let far = Set(farReaching)
        return (low..<high).filter { !far.contains($0) }
    }

    private func firstIndex(atOrAbove y: Double) -> Int {
        var (low, high) = (0, sources.count)
        while low < high {
            let middle = (low + high) / 2
            if sources[middle].y < y { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension SyntheticSky.Parameters {
    /// Standard deviation of the noise of a blank sky pixel, in counts.
    package var skyNoise: Double { ((sky * gain + readNoise * readNoise).squareRoot()) / gain }

    /// Level, in counts per pixel, below which profiles are truncated: far below the noise.
    package var faintest: Double { 0.02 * skyNoise }

    /// Returns the expected sky level at a pixel, in counts.
    package func sky(x: Double, y: Double) -> Double {
        let u = width > 1 ? x / Double(width - 1) - 0.5 : 0
        let v = height > 1 ? y / Double(height - 1) - 0.5 : 0
        return sky * (1 + skyGradient * (0.8 * u + 0.6 * v + 0.5 * u * v))
    }
}
