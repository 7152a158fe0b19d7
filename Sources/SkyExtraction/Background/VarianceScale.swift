/// The factor that converts relative variances, 1 / weight, to absolute ones.
///
/// As in SExtractor, the variance of the weight map is compared with that of the image, here mesh by mesh; see
/// "Noise and weight maps" in Docs/ExactScan.md.
package struct VarianceScale: Equatable {
    /// Variance of a pixel of weight 1.
    package let value: Double

    /// The median, over all meshes that are not bad, of noise² / mean relative variance.
    ///
    /// If that median is not positive, the median of the positive ratios; 1 if there are none. The median of an even
    /// number of ratios is the mean of the middle two.
    package init(noise: MeshGrid, variance: [Double]) {
        var ratios: [Double] = []
        for (sigma, mean) in zip(noise.values, variance) where sigma > MeshStatistics.bad && mean > 0 {
            let ratio = Double(sigma) * Double(sigma) / mean
            if ratio.isFinite { ratios.append(ratio) }
        }
        ratios.sort()
        let median = Self.median(ratios[...])
        if let median, median > 0 {
            value = median
        } else {
            value = Self.median(ratios.drop { $0 <= 0 }) ?? 1
        }
    }

    private static func median(_ sorted: ArraySlice<Double>) -> Double? {
        if sorted.isEmpty { return nil }
        let middle = sorted.startIndex + sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
