package import SkyFITS

/// What is applied to raw frames.
package struct CalibrationRecipe: Equatable, Sendable {
    package var overscan = SectionChoice.none
    package var overscanMethod = OverscanLevels.Method.median
    package var trim = SectionChoice.none
    package var bias: ImageLocation?
    package var dark: ImageLocation?
    package var darkScale = DarkScale.exptime
    package var flat: ImageLocation?
    package var badPixels: ImageLocation?
    package var saturation = HeaderValue.none
    package var gain = HeaderValue.none
    package var readNoise = HeaderValue.number(CosmicRayParameters().readnoise)
    /// Whether pixels are multiplied by the gain.
    package var givesElectrons = false
    /// The search for cosmic rays; nil for none. Its gain, read noise and saturation are those of the frame.
    package var cosmicRays: CosmicRayParameters?
    /// Whether the pixels of cosmic rays become NaN, instead of being replaced.
    package var masksCosmicRays = false
    /// Name and version of the program, for the header.
    package var program = "skyfarm"

    package init() {}

    /// Whether anything is done to a frame.
    package var hasSteps: Bool {
        let masters = [bias, dark, flat, badPixels]
        return overscan != .none || trim != .none || masters.contains { $0 != nil } || cosmicRays != nil
    }
}

/// A number that a frame's header may tell.
package enum HeaderValue: Hashable, Sendable {
    case none
    case number(Double)
    /// The first of these cards that is a number above 0.
    case keyword([String])

    /// The number for a frame, nil if there is none.
    /// - Throws: ``ScanSetupError`` if the frame lacks the card.
    package func number(_ cards: ImageCards, of name: ImageLocation, flag: String) throws(ScanSetupError) -> Double? {
        switch self {
        case .none: return nil
        case .number(let number): return number
        case .keyword(let keywords):
            for keyword in keywords {
                if let number = cards.value(keyword)?.number, number > 0 { return number }
            }
            let words = keywords.joined(separator: " or ")
            throw ScanSetupError("\(name): has no number above 0 in the card \(words), as \(flag) needs")
        }
    }
}
