import Testing

@testable import SkyCalibration

@Suite struct FrameLevelTests {
    /// Values of several distributions, some of them missing.
    private static func values(_ count: Int, _ kind: Int) -> [Double] {
        (0..<count).map { index in
            let mixed = Double((index * 7919 + index / 7 * 104_729) % 100_003)
            switch kind {
            case 0: return mixed
            case 1: return 5
            case 2: return index % 3 == 0 ? .infinity : mixed
            // The median is far from where samples at equal steps are.
            default: return Double(index)
            }
        }
    }

    @Test("the median is that of all values", arguments: [1, 2, 1001, 70_000, 300_001], 0...3)
    func median(count: Int, kind: Int) {
        let values = Self.values(count, kind)
        let sorted = values.filter(\.isFinite).sorted()
        let level = FrameLevel.median.of(count: count) { range, target in
            for index in range { target[index - range.lowerBound] = values[index] }
        }
        let expected = sorted.isEmpty ? nil : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        #expect(level == expected)
    }

    @Test("without values there is no level")
    func none() {
        let missing: (Range<Int>, UnsafeMutablePointer<Double>) -> Void = { range, target in
            for index in 0..<range.count { target[index] = .infinity }
        }
        #expect(FrameLevel.median.of(count: 5000, missing) == nil)
        #expect(FrameLevel.mean.of(count: 5000, missing) == nil)
    }
}
