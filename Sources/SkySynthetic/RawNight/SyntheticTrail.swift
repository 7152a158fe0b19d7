internal import CElementary
internal import ScanBasics

/// The trail of a satellite or an aeroplane: a straight line with a Gaussian profile across.
package struct SyntheticTrail: Equatable, Sendable {
    /// A place in the image; the first pixel's centre is 0, 0.
    package struct Point: Equatable, Sendable {
        package var x: Double
        package var y: Double

        package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    }

    package var start: Point
    package var end: Point
    /// Full width across at half of the peak, in pixels.
    package var fwhm: Double
    /// Counts per pixel on its axis.
    package var peak: Double

    package init(from start: Point, to end: Point, fwhm: Double, peak: Double) {
        (self.start, self.end, self.fwhm, self.peak) = (start, end, fwhm, peak)
    }

    /// Adds its counts to `light`, which has `width` elements for each of `rows`.
    package func add(to light: UnsafeMutableBufferPointer<Double>, rows: Range<Int>, width: Int) {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        let length = (dx * dx + dy * dy).squareRoot()
        guard length > 0, fwhm > 0 else { return }
        let (u, v) = (dx / length, dy / length)
        let sigma = fwhm / 2.3548200450309493
        let reach = 5 * sigma
        for row in rows {
            let along = Double(row) - start.y
            guard Double(row) >= min(start.y, end.y) - reach, Double(row) <= max(start.y, end.y) + reach else {
                continue
            }
            // Where the row is within reach of the line, unless they are almost parallel.
            var (low, high) = (min(start.x, end.x) - reach, max(start.x, end.x) + reach)
            if v.magnitude > 1e-6 {
                let (middle, half) = (start.x + along * u / v, reach / v.magnitude)
                (low, high) = (max(low, middle - half), min(high, middle + half))
            }
            guard low <= high else { continue }
            let (left, right) = (max(0, Int(low.rounded(.up))), min(width - 1, Int(high.rounded(.down))))
            guard left <= right else { continue }
            let first = (row - rows.lowerBound) * width
            for x in left...right {
                let across = Double(x) - start.x
                let place = min(max(0, across * u + along * v), length)
                let (ex, ey) = (across - place * u, along - place * v)
                light[first + x] += peak * Elementary.exp(-(ex * ex + ey * ey) / (2 * sigma * sigma))
            }
        }
    }

    /// Draws a trail through an image: at any place, in any direction, from edge to edge or, one in four, with an end
    /// within the image.
    static func random(
        width: Int, height: Int, fwhm: Double, peak: Double, _ generator: inout SplitMix64
    ) -> SyntheticTrail {
        let x = generator.uniform() * Double(width) - 0.5
        let y = generator.uniform() * Double(height) - 0.5
        let direction = SyntheticSource.Direction.random(&generator)
        let sides = [
            (x, direction.cosine, Double(width) - 0.5), (y, direction.sine, Double(height) - 0.5),
        ]
        var (back, forth) = (-Double.infinity, Double.infinity)
        for (place, step, upper) in sides where step != 0 {
            let (first, second) = ((-0.5 - place) / step, (upper - place) / step)
            (back, forth) = (max(back, min(first, second)), min(forth, max(first, second)))
        }
        if generator.uniform() < 0.25 { forth *= generator.uniform() }
        return SyntheticTrail(
            from: Point(x: x + back * direction.cosine, y: y + back * direction.sine),
            to: Point(x: x + forth * direction.cosine, y: y + forth * direction.sine), fwhm: fwhm, peak: peak)
    }
}
