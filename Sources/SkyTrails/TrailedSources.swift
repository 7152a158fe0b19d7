package import SkyExtraction

/// The sources of an image that trails touch.
package struct TrailedSources {
    /// The trails, with the numbers of their sources.
    package private(set) var trails: [Trail]
    /// Whether a trail touches each source.
    package private(set) var touched: [Bool]
    /// Whether each source is a part of a trail.
    package private(set) var parts: [Bool]

    /// Peak of a star in units of a line's brightness, from which a line along rows or columns through it is charge that
    /// has bled.
    private static let bleeding = 30.0
    /// Most of the distance across its length by which such a line differs from a row or column.
    private static let slope = 0.005
    /// Distance from the edge of a trail, in pixels, up to which a source is touched.
    private static let margin = 2.0
    /// Peaks of a part of a trail in units of the trail's brightness, and above it in units of the noise.
    private static let (brightest, spread) = (2.0, 4.0)
    /// Ratio of the axes from which a source along a trail is a part of it, however bright.
    private static let elongation: Float = 3

    /// Finds the sources of `sources` that `candidates` touch, in an image whose pixels have the noise `noise`. Candidates
    /// that are columns of saturated stars are left out.
    package init(_ candidates: [Trail], _ sources: SourceTable, noise: Float) {
        trails = []
        touched = [Bool](repeating: false, count: sources.count)
        parts = touched
        let noise = Double(max(noise, .leastNormalMagnitude))
        for candidate in candidates {
            var trail = candidate
            let along = sources.x.indices.filter { Self.touches(trail, sources, $0) }
            let isAligned =
                min((trail.x2 - trail.x1).magnitude, (trail.y2 - trail.y1).magnitude)
                <= max(1, Self.slope * trail.length)
            let limit = Self.bleeding * max(trail.brightness, 1) * noise
            if isAligned, along.contains(where: { Double(sources.peak[$0]) > limit }) { continue }
            for index in along {
                touched[index] = true
                let peak = Double(sources.peak[index]) / noise
                let isFaint = peak <= Self.brightest * trail.brightness + Self.spread
                guard isFaint || sources.a[index] >= Self.elongation * sources.b[index] else { continue }
                parts[index] = true
                trail.sources += 1
            }
            trails.append(trail)
        }
        let stars = sources.x.indices.filter { !touched[$0] && sources.a[$0] < 1.5 * sources.b[$0] }
        guard !stars.isEmpty else { return }
        let usual = Double(stars.map { sources.b[$0] }.sorted()[stars.count / 2])
        for place in trails.indices { trails[place].sharpen(to: Self.fullWidth * usual) }
    }

    /// Full width at half maximum of a normal distribution in standard deviations.
    private static let fullWidth = 2.3548

    /// Whether a trail touches a source: whether its barycentre is on the trail, or within the source's own extent of it.
    private static func touches(_ trail: Trail, _ sources: SourceTable, _ index: Int) -> Bool {
        let place = trail.place(x: sources.x[index], y: sources.y[index])
        let (length, half) = (max(trail.length, 1), trail.width / 2 + margin)
        let (ux, uy) = trail.step
        // The variances of the source along and across the trail.
        let (xx, yy, xy) = (sources.x2[index], sources.y2[index], sources.xy[index])
        let across = max(uy * uy * xx - 2 * ux * uy * xy + ux * ux * yy, 0).squareRoot()
        let extent = max(ux * ux * xx + 2 * ux * uy * xy + uy * uy * yy, 0).squareRoot()
        return place.across.magnitude <= half + min(across, half)
            && place.along >= -margin - extent && place.along <= length + margin + extent
    }
}
