internal import CCalibration

/// The level of a frame: the median or the mean of its values in double precision.
enum FrameLevel {
    case median, mean

    /// Number of values from which the neighbourhood of the median is estimated.
    private static let sampleCount = 1 << 16
    /// Half of the neighbourhood, as a share of all values: five standard deviations of the estimate.
    private static let reach = 0.01

    /// Computes the level of a frame.
    /// - Parameters:
    ///   - count: number of its pixels.
    ///   - stripLength: number of pixels that are handled at a time.
    ///   - values: writes the values of pixels; infinity stands for a missing one.
    /// - Returns: the level; nil if all values are missing.
    func of(
        count: Int, stripLength: Int = 1 << 12, _ values: (Range<Int>, UnsafeMutablePointer<Double>) -> Void
    ) -> Double? {
        self == .mean ? Self.mean(count, stripLength, values) : Self.median(count, stripLength, values)
    }

    /// The median of pixels; nil if none is finite.
    static func median(of pixels: UnsafeBufferPointer<Float>) -> Double? {
        median.of(count: pixels.count) { range, values in
            for index in range {
                let value = Double(pixels[index])
                values[index - range.lowerBound] = value.isFinite ? value : .infinity
            }
        }
    }

    private static func strips(_ count: Int, _ length: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: length).map { $0..<min($0 + length, count) }
    }

    private static func mean(
        _ count: Int, _ stripLength: Int, _ values: (Range<Int>, UnsafeMutablePointer<Double>) -> Void
    ) -> Double? {
        let buffer = UnsafeMutablePointer<Double>.allocate(capacity: stripLength)
        defer { buffer.deallocate() }
        var (sum, number) = (0.0, 0)
        for strip in strips(count, stripLength) {
            values(strip, buffer)
            for index in 0..<strip.count where buffer[index].isFinite {
                sum += buffer[index]
                number += 1
            }
        }
        return number > 0 ? sum / Double(number) : nil
    }

    private static func median(
        _ count: Int, _ stripLength: Int, _ values: (Range<Int>, UnsafeMutablePointer<Double>) -> Void
    ) -> Double? {
        let buffer = UnsafeMutablePointer<Double>.allocate(capacity: max(stripLength, sampleCount))
        let found = UnsafeMutablePointer<Double>.allocate(capacity: count + 1)
        defer {
            buffer.deallocate()
            found.deallocate()
        }
        let bounds = neighbourhood(count, buffer, values)
        for (low, high) in [bounds, (-Double.greatestFiniteMagnitude, Double.greatestFiniteMagnitude)] {
            var (between, below, finite) = (0, 0, 0)
            for strip in strips(count, stripLength) {
                values(strip, buffer)
                skyfarm_gather_between(buffer, strip.count, low, high, found, &between, &below, &finite)
            }
            if finite == 0 { return nil }
            let (first, second) = ((finite - 1) / 2 - below, finite / 2 - below)
            guard first >= 0, second < between else { continue }
            let lower = skyfarm_value_at(found, between, first)
            // All values behind the first are not below it.
            let upper = second > first ? (second..<between).reduce(.infinity) { min($0, found[$1]) } : lower
            return (lower + upper) / 2
        }
        return nil
    }

    /// Values between which the median is, in all probability.
    private static func neighbourhood(
        _ count: Int, _ buffer: UnsafeMutablePointer<Double>,
        _ values: (Range<Int>, UnsafeMutablePointer<Double>) -> Void
    ) -> (Double, Double) {
        var number = 0
        for range in SampleRuns(of: count, sampleCount: sampleCount) where number + range.count <= sampleCount {
            values(range, buffer + number)
            for index in number..<number + range.count where buffer[index].isFinite {
                buffer[number] = buffer[index]
                number += 1
            }
        }
        guard number > 1000 else { return (-.greatestFiniteMagnitude, .greatestFiniteMagnitude) }
        let (first, last) = (Int((0.5 - reach) * Double(number - 1)), Int((0.5 + reach) * Double(number - 1)))
        let low = skyfarm_value_at(buffer, number, first)
        // All values behind the first are not below it.
        return (low, skyfarm_value_at(buffer + first, number - first, last - first))
    }
}

/// Runs of pixels at equal steps: a sample of the pixels of a frame. A run costs hardly more than one of its pixels.
struct SampleRuns: Sequence, IteratorProtocol {
    private let count: Int
    private let step: Int
    private var first = 0
    private static let length = 8

    /// About `sampleCount` of `count` pixels, or all if there are not as many.
    init(of count: Int, sampleCount: Int) {
        self.count = count
        // An odd multiple, so that the samples are not all of a few columns.
        step = Self.length * (count / sampleCount | 1)
    }

    mutating func next() -> Range<Int>? {
        guard first < count else { return nil }
        defer { first += step }
        return first..<Swift.min(first + Self.length, count)
    }
}
