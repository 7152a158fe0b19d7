internal import CCalibration
internal import CNumbers

/// Samples of 16 bits whose order is that of their values, so that a median needs no value but its own.
struct StoredShorts {
    private let bytes: UnsafeRawPointer
    private let count: Int
    private let scale: skyfarm_short_scale

    /// Number of samples from which the neighbourhood of the median is estimated.
    private static let sampleCount = 1 << 16
    /// Half of the neighbourhood, as a share of all samples: five standard deviations of the estimate.
    private static let reach = 0.01

    /// Nil if the samples are floats, if some may be blank, or if their values have another order or are not finite.
    init?(_ samples: skyfarm_samples, count: Int) {
        guard let bytes = samples.shorts, count > 0, Int16(exactly: samples.scale.blank) == nil,
            samples.scale.scale > 0
        else { return nil }
        self.init(bytes: bytes, count: count, scale: samples.scale)
        guard value(.min).isFinite, value(.max).isFinite else { return nil }
    }

    private init(bytes: UnsafeRawPointer, count: Int, scale: skyfarm_short_scale) {
        (self.bytes, self.count, self.scale) = (bytes, count, scale)
    }

    /// The median of the values.
    var median: Double {
        let (first, end) = sample(at: (count - 1) / 2, guess: neighbourhood())
        let second = end > count / 2 ? first : sample(at: count / 2, guess: first...first).sample
        return (value(first) + value(second)) / 2
    }

    /// The value of a sample, as `skyfarm_stack_values` computes it.
    private func value(_ sample: Int16) -> Double {
        var (stored, number) = (sample.bigEndian, Float(0))
        skyfarm_floats_of_shorts(&stored, 1, scale, &number)
        return Double(number) + 0
    }

    /// Samples between which the median is, in all probability.
    private func neighbourhood() -> ClosedRange<Int16> {
        let all = Int16.min...Int16.max
        guard count > 4 * Self.sampleCount else { return all }
        var some: [Int16] = []
        some.reserveCapacity(2 * Self.sampleCount)
        for range in SampleRuns(of: count, sampleCount: Self.sampleCount) {
            for index in range { some.append(bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self)) }
        }
        return some.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return all }
            let samples = StoredShorts(bytes: start, count: some.count, scale: scale)
            func sample(at share: Double) -> Int16 {
                samples.sample(at: Int(share * Double(some.count - 1)), guess: all).sample
            }
            return sample(at: 0.5 - Self.reach)...sample(at: 0.5 + Self.reach)
        }
    }

    /// The sample at `place` (from 0) in ascending order, and how many are not above it. One pass is enough if it is in
    /// a short range `guess`.
    private func sample(at place: Int, guess: ClosedRange<Int16>) -> (sample: Int16, end: Int) {
        // At most `place` samples are not above `low`, and more, `end`, are not above `high`.
        var (low, high, end) = (Int(Int16.min) - 1, Int(Int16.max), count)
        var next = Int(guess.lowerBound) - 1...Int(guess.upperBound)
        while high - low > 1 {
            let steps = Int(skyfarm_threshold_count) - 1
            let thresholds = (0...steps).map { Int16(clamping: next.lowerBound + (next.count - 1) * $0 / steps) }
            var counts = [Int64](repeating: 0, count: thresholds.count)
            skyfarm_count_shorts(bytes, count, thresholds, &counts)
            for (threshold, number) in zip(thresholds, counts) {
                if number <= place {
                    low = max(low, Int(threshold))
                } else if Int(threshold) < high {
                    (high, end) = (Int(threshold), Int(number))
                }
            }
            if high - low > 1 { next = low + 1...high - 1 }
        }
        return (Int16(clamping: high), end)
    }
}
