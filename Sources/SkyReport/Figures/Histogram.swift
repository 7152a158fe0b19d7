import Foundation

/// A histogram with bins of equal width.
public struct Histogram: Encodable, Equatable, Sendable {
    /// Lower edge of the first bin; a multiple of ``width``.
    public private(set) var start = 0.0
    /// Width of a bin: 1, 2 or 5 times a power of ten.
    public private(set) var width = 1.0
    /// Number of values in each bin; empty if there are no values.
    public private(set) var counts: [Int] = []
    /// Number of values below the first bin.
    public private(set) var below = 0
    /// Number of values above the last bin.
    public private(set) var above = 0

    /// Counts the finite values among `values`, in about `bins` bins.
    ///
    /// The bins exclude one value in 500 at each end, so that outliers do not widen them.
    public init(_ values: some Sequence<Double>, bins: Int = 40) {
        let sorted = values.filter(\.isFinite).sorted()
        guard let first = sorted.first, let last = sorted.last else { return }
        let few = sorted.count / 500
        let (low, high) = few == 0 ? (first, last) : (sorted[few], sorted[sorted.count - 1 - few])
        width = niceStep((high - low) / Double(max(1, bins)))
        // Beyond this, the number of a bin is not an exact integer.
        guard (low / width).magnitude < 1e15, (high / width).magnitude < 1e15 else { return }
        let firstBin = (low / width).rounded(.down)
        start = firstBin * width
        counts = Array(repeating: 0, count: Int((high / width).rounded(.down) - firstBin) + 1)
        for value in sorted {
            let bin = (value / width).rounded(.down) - firstBin
            if bin < 0 {
                below += 1
            } else if bin >= Double(counts.count) {
                above += 1
            } else {
                counts[Int(bin)] += 1
            }
        }
    }
}

/// Returns the smallest of 1, 2 or 5 times a power of ten that is at least `step`, or 1 if `step` is not positive and
/// finite.
package func niceStep(_ step: Double) -> Double {
    guard step > 0, step.isFinite else { return 1 }
    let power = pow(10, floor(log10(step)))
    return ([1, 2, 5].first { $0 * power >= step * (1 - 1e-9) } ?? 10) * power
}
