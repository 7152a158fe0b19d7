internal import CElementary
internal import Foundation
public import SkyFITS

/// SExtractor's classifier of stars, a neural network with one hidden layer and the weights of a `.nnw` file.
///
/// Its ten inputs are decimal logarithms: of the first isophotal area, of the peak in units of the threshold, of the
/// other seven isophotal areas, and of the width of stars in arcseconds. Areas are in units of the squared width of
/// stars.
public struct StarNetwork: Hashable, Sendable {
    private static let inputCount = 10
    private static let hiddenCount = 10

    /// Offset of each input; ``factors`` are the factors.
    private let offsets: [Double]
    private let factors: [Double]
    /// Weights of each hidden neuron, with its bias last; ``output`` are the weights of the output neuron.
    private let hidden: [[Double]]
    private let output: [Double]

    /// Parses a `.nnw` file, which has a line `NNW`, comments that begin with `#`, and numbers.
    /// - Throws: `ScanSetupError` that names the line of the error.
    public init(parsing text: String) throws(ScanSetupError) {
        var numbers: [Double] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if index == 0 {
                guard line.hasPrefix("NNW") else { throw ScanSetupError("line 1: a file of weights begins with NNW") }
                continue
            }
            for word in line.prefix(while: { $0 != "#" }).split(whereSeparator: \.isWhitespace) {
                guard let number = Double(word), number.isFinite else {
                    throw ScanSetupError("line \(index + 1): \"\(word)\" is not a number")
                }
                numbers.append(number)
            }
        }
        let shape: [Double] = [3, Double(Self.inputCount), Double(Self.hiddenCount), 1]
        guard Array(numbers.prefix(4)) == shape else {
            throw ScanSetupError("the network must have 3 layers of 10, 10 and 1 neurons")
        }
        var rest = numbers.dropFirst(4)
        func take(_ count: Int) -> [Double] {
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        offsets = take(Self.inputCount)
        factors = take(Self.inputCount)
        hidden = (0..<Self.hiddenCount).map { _ in take(Self.inputCount + 1) }
        output = take(Self.hiddenCount + 1)
        guard output.count == Self.hiddenCount + 1 else {
            throw ScanSetupError("the file has \(numbers.count) numbers, fewer than the weights of the network")
        }
    }

    /// Returns the probability that a source is a star, from 0 to 1.
    /// - Parameters:
    ///   - areas: number of pixels above each of eight levels.
    ///   - peak: value of the highest pixel.
    ///   - threshold: value of the lowest level.
    ///   - width: full width at half maximum of stars, in pixels.
    ///   - seeing: full width at half maximum of stars, in arcseconds.
    /// - Returns: The probability, or 0 for a source without a positive peak.
    package func stellarity(areas: [Double], peak: Double, threshold: Double, width: Double, seeing: Double) -> Double {
        guard peak > 0, threshold > 0, width > 0 else { return 0 }
        var inputs = areas.map { Elementary.log10(max($0, 1) / (width * width)) }
        inputs.insert(Elementary.log10(peak / threshold), at: 1)
        inputs.append(Elementary.log10(seeing))
        let scaled = zip(inputs, zip(offsets, factors)).map { $0 * $1.1 + $1.0 }
        let middle = hidden.map { Self.activation($0, scaled) }
        return Self.activation(output, middle)
    }

    private static func activation(_ weights: [Double], _ inputs: [Double]) -> Double {
        let sum = zip(weights, inputs).reduce(weights[weights.count - 1]) { $0 + $1.0 * $1.1 }
        return 1 / (1 + Elementary.exp(-sum))
    }
}
