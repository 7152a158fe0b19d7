public import SkyFITS

/// The kernel with which an image is smoothed before detection.
public struct ConvolutionKernel: Codable, Hashable, Sendable {
    /// Columns: odd, at most ``largestSide``.
    public let width: Int
    /// Rows: odd, at most ``largestSide``.
    public let height: Int
    /// Values, row by row.
    public let values: [Float]
    /// Whether they are divided by the sum of their absolute values, as SEP does.
    public let isNormalized: Bool

    /// Longest side of a kernel. Its reach must lie inside a band's halo.
    public static let largestSide = 31

    /// SExtractor's default: 1 2 1, 2 4 2, 1 2 1.
    public static let standard = ConvolutionKernel(unchecked: 3, 3, [1, 2, 1, 2, 4, 2, 1, 2, 1])

    private init(unchecked width: Int, _ height: Int, _ values: [Float], isNormalized: Bool = true) {
        self.width = width
        self.height = height
        self.values = values
        self.isNormalized = isNormalized
    }

    /// A kernel of `width` by `height` values.
    /// - Throws: `ScanSetupError` for even or too long sides, values that are not finite, or all zeros.
    public init(width: Int, height: Int, values: [Float], isNormalized: Bool = true) throws(ScanSetupError) {
        for (side, name) in [(width, "width"), (height, "height")] {
            guard side > 0, side % 2 == 1 else {
                throw ScanSetupError("the kernel's \(name) must be odd, not \(side); pad it with zeros")
            }
            guard side <= Self.largestSide else {
                throw ScanSetupError("the kernel's \(name) must be at most \(Self.largestSide), not \(side)")
            }
        }
        guard values.count == width * height else {
            throw ScanSetupError(
                "a kernel of \(width) by \(height) needs \(width * height) values, not \(values.count)")
        }
        guard values.allSatisfy(\.isFinite) else { throw ScanSetupError("the kernel has values that are not finite") }
        let sum = values.reduce(0) { $0 + abs($1) }
        guard sum > 0, sum.isFinite else {
            throw ScanSetupError("the kernel's absolute values must have a positive, finite sum, not \(sum)")
        }
        self.init(unchecked: width, height, values, isNormalized: isNormalized)
    }

    /// Decodes and checks a kernel.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            width: container.decode(Int.self, forKey: .width), height: container.decode(Int.self, forKey: .height),
            values: container.decode([Float].self, forKey: .values),
            isNormalized: container.decodeIfPresent(Bool.self, forKey: .isNormalized) ?? true)
    }

    /// The factors of the samples: the values, divided by their absolute sum in single precision as in SEP.
    package var factors: [Float] {
        if !isNormalized { return values }
        // Added in SEP's order.
        var sum: Float = 0
        for value in values { sum += abs(value) }
        return values.map { $0 / sum }
    }
}
