/// The bits of a mask.
package struct MaskBits: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The mask of bad pixels has the pixel.
    package static let badPixel = MaskBits(rawValue: 1)
    /// The raw sample has reached the level of saturation.
    package static let saturated = MaskBits(rawValue: 2)
    package static let cosmicRay = MaskBits(rawValue: 4)
    /// The raw sample, or a master's, is no number, or the flat is not above 0.
    package static let noValue = MaskBits(rawValue: 8)
}
