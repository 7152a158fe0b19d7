import Foundation
import ScanBasics
import Testing

import SkyFITS

@Suite struct FITSNumberDigitsTests {
    @Test("a header's number has the fewest digits from which it is parsed exactly")
    func digits() {
        var random = SplitMix64(seed: 5)
        var values: [Double] = [0, 1, -1, 10, 100, 0.1, 0.05, 1.5, 1e20, 1e-7, 123_456_789, 1 / 3.0, .pi, 1e23, 9.5e15]
        values.append(.leastNonzeroMagnitude)
        values += (0..<500).map { _ in Double.random(in: -1e6...1e6, using: &random) }
        values += (0..<500).map { _ in Double(Int.random(in: -99_999...99_999, using: &random)) / 1000 }
        values += (0..<500).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite)
        for value in values {
            let fewest = (1...17).first { Double(String(format: "%.\($0)G", value)) == value }
            #expect(FITSMemoryFile.digits(of: value) == Int32(fewest ?? 17), "\(value)")
        }
    }
}
