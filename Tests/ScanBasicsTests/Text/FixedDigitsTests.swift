import Foundation
import ScanBasics
import Testing

@Suite struct FixedDigitsTests {
    @Test("numbers have the digits that printf gives them")
    func digits() {
        var random = SplitMix64(seed: 7)
        var values = [0, -0.0, 0.5, 1.5, 2.5, 0.05, 0.125, -0.125, 9.995, 99.95, 1e23, -1e300]
        values += [.infinity, .nan, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude]
        values += (0..<500).map { _ in Double(bitPattern: random.next()) }
        values += (0..<500).map { _ in Double.random(in: -1e6...1e6, using: &random) }
        for (index, value) in values.enumerated() {
            for digits in [0, 1, index % 9, 40] {
                #expect(value.fixed(digits) == String(format: "%.\(digits)f", value), "\(value), \(digits)")
            }
        }
    }
}
