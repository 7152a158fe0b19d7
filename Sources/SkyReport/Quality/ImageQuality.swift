import Foundation
public import SkyCatalogue
public import SkyExtraction
public import SkyFITS

/// Quality measures of an image for observers, from its catalogue and header.
public struct ImageQuality: Equatable, Encodable, Sendable {
    /// A magnitude, and the header keyword of its zero point.
    public struct Magnitude: Equatable, Encodable, Sendable {
        /// The value in magnitudes.
        public var value: Double
        /// The keyword of the zero point, such as `MAGZERO`.
        public var keyword: String
    }

    /// Median full width at half maximum of the point sources, in pixels; nil if there are too few.
    public private(set) var seeing: Double?
    /// Pixel scale at the image's centre in arcseconds per pixel; nil without celestial coordinates.
    public private(set) var pixelScale: Double?
    /// Median of 1 - b/a of the point sources; nil if there are too few.
    public private(set) var ellipticity: Double?
    /// Number of point sources in the catalogue.
    public private(set) var pointSources = 0
    /// Median background in the image's unit.
    public var background: Double
    /// Median noise in the image's unit.
    public var noise: Double
    /// Magnitude of a flux of 5 times the noise in the fixed aperture; nil without a zero point.
    public private(set) var limit: Magnitude?
    /// Magnitude of a flux of one unit of the samples; nil if the header has none.
    public private(set) var zeroPoint: Magnitude?

    /// Keywords of the zero point, in the order of search.
    public static let zeroPointKeywords = [
        "MAGZERO", "MAGZPT", "MAGZP", "ZEROPNT", "ZEROPT", "PHOTZP", "PHOT_ZP", "ZPT", "ZP",
    ]

    /// Minimum number of point sources for measuring seeing and ellipticity.
    package static let fewest = 5
    /// Minimum ratio of `flux_auto` to its error for a measured source.
    static let leastSignal = 20.0
    /// Minimum ratio of `peak` to the image's noise: at lower signal, the maximum of noisy pixels is biased high.
    static let leastPeak = 20.0
    /// Ratio of the largest to the smallest `flux_radius` of point sources. They are the sources in the most populated
    /// interval of this width.
    package static let spread = 1.2
    /// Maximum number of sources whose width is computed; the brightest are taken.
    private static let most = 200

    /// Measures an image.
    ///
    /// - Parameters:
    ///   - table: the catalogue of the image.
    ///   - header: the header of the image.
    ///   - width: number of columns.
    ///   - height: number of rows.
    ///   - background: median background.
    ///   - noise: median noise.
    ///   - parameters: parameters of the scan.
    public init(
        _ table: CatalogueTable, header: FITSHeader, width: Int, height: Int, background: Double, noise: Double,
        parameters: ScanParameters
    ) {
        (self.background, self.noise) = (background, noise)
        let saturation = max(
            Self.leastPeak * noise, header.number("SATURATE").map { 0.9 * ($0 - background) } ?? .infinity)
        let points = Self.pointSources(in: table, peaks: Self.leastPeak * noise...saturation, parameters)
        pointSources = points.count
        if points.count >= Self.fewest {
            seeing = median(points.prefix(Self.most).map(\.spread.fullWidth))
            ellipticity = median(points.map(\.ellipticity))
        }
        pixelScale = Self.pixelScale(header, width: width, height: height)
        zeroPoint = Self.zeroPoint(header)
        if let zeroPoint, noise > 0 {
            let flux = 5 * noise * (Double.pi).squareRoot() * parameters.apertureRadius
            limit = Magnitude(value: zeroPoint.value - 2.5 * log10(flux), keyword: zeroPoint.keyword)
        }
    }

    private struct Point {
        var spread: PointSpread
        var ellipticity: Double
    }

    /// Returns the unflagged sources of sufficient flux in the most populated interval of sizes, brightest first.
    private static func pointSources(
        in table: CatalogueTable, peaks: ClosedRange<Double>, _ parameters: ScanParameters
    ) -> [Point] {
        func column(_ name: String) -> [Double] {
            let values = table[name]?.values
            return (0..<table.rowCount).map { row in values.map { $0.real(row) } ?? .nan }
        }
        let flags = ["flag", "flag_kron", "flag_auto"].map(column)
        let (a, b, peak, radius) = (column("a"), column("b"), column("peak"), column("flux_radius"))
        let (flux, error, kron) = (column("flux_auto"), column("fluxerr_auto"), column("kron_radius"))
        let (x, y, xPeak, yPeak) = (column("x"), column("y"), column("xpeak"), column("ypeak"))
        let rows = (0..<table.rowCount).filter { row in
            flags.allSatisfy { $0[row] == 0 } && flux[row] >= leastSignal * error[row] && radius[row] > 0 && b[row] > 0
                && peaks.contains(peak[row]) && peak[row] > 0
        }
        guard let sizes = mostPopulated(rows.map { radius[$0] }, spread: spread) else { return [] }
        return rows.filter { sizes.contains(radius[$0]) }.sorted { (flux[$0], $1) > (flux[$1], $0) }
            .map { row in
                let aperture = max(parameters.kronFactor * kron[row], parameters.kronMinimum)
                let (right, up) = (xPeak[row] - x[row], yPeak[row] - y[row])
                return Point(
                    spread: PointSpread(
                        halfFluxRadius: radius[row], limit: 6 * a[row], flux: flux[row],
                        aperture: aperture * (a[row] * b[row]).squareRoot(), peak: peak[row],
                        offset: (right * right + up * up).squareRoot()),
                    ellipticity: 1 - b[row] / a[row])
            }
    }

    /// Returns the most populated interval from a value to `spread` times it, or nil without values.
    static func mostPopulated(_ values: [Double], spread: Double) -> ClosedRange<Double>? {
        let sorted = values.sorted()
        var (best, bestCount, end) = (0, 0, 0)
        for start in sorted.indices {
            while end < sorted.count, sorted[end] <= spread * sorted[start] { end += 1 }
            if end - start > bestCount { (best, bestCount) = (start, end - start) }
        }
        return sorted.isEmpty ? nil : sorted[best]...spread * sorted[best]
    }

    private static func zeroPoint(_ header: FITSHeader) -> Magnitude? {
        zeroPointKeywords.lazy.compactMap { keyword in
            header.number(keyword).map { Magnitude(value: $0, keyword: keyword) }
        }.first
    }

    /// Returns the square root of the area of the central pixel, in arcseconds.
    private static func pixelScale(_ header: FITSHeader, width: Int, height: Int) -> Double? {
        guard let wcs = try? CelestialWCS(header: header) else { return nil }
        let (x, y) = (Double(width) / 2, Double(height) / 2)
        let (ra, dec) = wcs.coordinates(x: [x, x + 1, x], y: [y, y, y + 1])
        let cosine = cos(dec[0] * .pi / 180)
        // Right ascension jumps from 360 to 0.
        func difference(_ index: Int) -> (Double, Double) {
            ((ra[index] - ra[0]).remainder(dividingBy: 360) * cosine, dec[index] - dec[0])
        }
        let ((a, b), (c, d)) = (difference(1), difference(2))
        let scale = abs(a * d - b * c).squareRoot() * 3600
        return scale > 0 && scale.isFinite ? scale : nil
    }
}

/// Returns the median of the finite values, or nil if there are none.
package func median(_ values: [Double]) -> Double? {
    let sorted = values.filter(\.isFinite).sorted()
    guard !sorted.isEmpty else { return nil }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}
