import Foundation
import Testing

import SkyFITS
import SkyScan

@Suite("SExtractor's classifier of stars")
struct StarNetworkTests {
    /// Ten hidden neurons of which the first is the sum of its inputs, scaled by 2 and offset by 1.
    private static var text: String {
        let row = { (values: [Double]) in values.map { "\($0)" }.joined(separator: " ") + "\n" }
        var text = "NNW\n# weights\n 3 10 10 1\n\n"
        text += row(Array(repeating: 1, count: 10)) + row(Array(repeating: 2, count: 10))
        text += row(Array(repeating: 0.1, count: 10) + [0.5])
        for _ in 1..<10 { text += row(Array(repeating: 0, count: 11)) }
        return text + row([1] + Array(repeating: 0, count: 9) + [-0.25]) + "0.0\n1.0\n"
    }

    @Test("inputs are scaled, summed and passed through two layers")
    func value() throws {
        let network = try StarNetwork(parsing: Self.text)
        // All logarithms are 1: areas of 40 in units of the width's square of 4, a peak of 10 thresholds, 10".
        let value = network.stellarity(
            areas: Array(repeating: 40, count: 8), peak: 1000, threshold: 100, width: 2, seeing: 10)
        let hidden = 1 / (1 + exp(-(0.1 * 10 * (1 * 2 + 1) + 0.5)))
        #expect(abs(value - 1 / (1 + exp(-(hidden - 0.25)))) < 1e-12)
        #expect(
            network.stellarity(areas: Array(repeating: 0, count: 8), peak: -1, threshold: 1, width: 2, seeing: 1) == 0)
    }

    @Test(
        "a file that is none is refused",
        arguments: ["", "CONV NORM", "NNW\n3 10 10 1\n1 2 3", "NNW\n3 9 10 1", "NNW\n3 10 10 1\n1 x"])
    func refused(text: String) { #expect(throws: ScanSetupError.self) { try StarNetwork(parsing: text) } }
}
