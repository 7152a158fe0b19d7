package import SkyExtraction

/// How much wider than a star a source is: SPREAD_MODEL of SExtractor's manual, the difference of its normalised products
/// with a disc and with the point spread function.
package struct SpreadMeasure {
    /// Near 0 for stars, above for galaxies.
    package private(set) var value = 0.0
    package private(set) var error = 1.0

    /// - Parameters:
    ///   - function: the point spread function at the source.
    ///   - disc: the same convolved with an exponential disc.
    ///   - stamp: the pixels.
    ///   - x: the position of the source, in pixels of the image from 0.
    ///   - y: the same along y.
    package init(
        _ function: PointSpreadSamples, disc: PointSpreadSamples, _ stamp: PointSpreadStamp, x: Double, y: Double
    ) {
        let (columns, rows) = (stamp.rect.width, stamp.rect.height)
        let (column, row) = (x - Double(stamp.rect.x.lowerBound), y - Double(stamp.rect.y.lowerBound))
        let star = function.pixels(x: column, y: row, columns: columns, rows: rows)
        let wide = disc.pixels(x: column, y: row, columns: columns, rows: rows)
        let places = stamp.variances.indices.filter { stamp.variances[$0] > 0 }
        var (starSum, wideSum, starStar, wideStar) = (0.0, 0.0, 0.0, 0.0)
        for place in places {
            starSum += star[place] * stamp.values[place]
            wideSum += wide[place] * stamp.values[place]
            starStar += star[place] * star[place]
            wideStar += wide[place] * star[place]
        }
        guard starSum > 0, starStar > 0 else { return }
        let ratio = wideSum / starSum
        value = ratio - wideStar / starStar
        var variance = 0.0
        for place in places {
            let derivative = (wide[place] - star[place] * ratio) / starSum
            variance += stamp.variances[place] * derivative * derivative
        }
        error = variance.squareRoot()
    }
}
