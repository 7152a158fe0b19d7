import CCalibration
import CNumbers
import Testing

@testable import SkyCalibration

@Suite struct StoredShortsTests {
    /// Samples of several distributions.
    private static func samples(_ count: Int, _ kind: Int) -> [Int16] {
        (0..<count).map { index in
            let mixed = Int16(truncatingIfNeeded: index &* 40_503 &+ index / 7 &* 7919)
            switch kind {
            case 0: return mixed
            case 1: return 5
            case 2: return mixed / 256
            // The median is far from where samples at equal steps are.
            case 3: return index % 65 == 0 ? mixed : .max
            default: return index % 2 == 0 ? .min : .max
            }
        }
    }

    private static func stored(_ samples: [Int16], _ scale: skyfarm_short_scale) -> Double? {
        samples.map(\.bigEndian).withUnsafeBytes { bytes in
            StoredShorts(
                skyfarm_samples(floats: nil, shorts: bytes.baseAddress, scale: scale), count: samples.count)?.median
        }
    }

    @Test("the median is that of all values", arguments: [1, 2, 3, 255, 1000, 300_000, 300_001], 0...4)
    func median(count: Int, kind: Int) {
        let samples = Self.samples(count, kind)
        for (factor, zero) in [(1, 0), (1, 32_768), (0.37, 12.1)] as [(Float, Float)] {
            let values = samples.map { Double(Float($0) * factor + zero) }.sorted()
            let scale = skyfarm_short_scale(scale: factor, zero: zero, blank: .max)
            #expect(Self.stored(samples, scale) == (values[(count - 1) / 2] + values[count / 2]) / 2)
        }
    }

    @Test("samples of another order, with blank ones or without finite values have no median of their own")
    func none() {
        let samples = Self.samples(100, 0)
        for scale in [
            skyfarm_short_scale(scale: -1, zero: 0, blank: .max), skyfarm_short_scale(scale: 0, zero: 0, blank: .max),
            skyfarm_short_scale(scale: .nan, zero: 0, blank: .max), skyfarm_short_scale(scale: 1, zero: 0, blank: 4),
            skyfarm_short_scale(scale: 1e38, zero: 0, blank: .max),
            skyfarm_short_scale(scale: 1, zero: .infinity, blank: .max),
        ] { #expect(Self.stored(samples, scale) == nil) }
        #expect(Self.stored([], skyfarm_short_scale(scale: 1, zero: 0, blank: .max)) == nil)
    }
}
