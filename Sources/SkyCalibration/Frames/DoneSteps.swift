package import SkyFITS

/// The steps of a calibration that were done with an image, as its cards tell.
package struct DoneSteps: Equatable, Sendable {
    package enum Step: String, CaseIterable, Sendable { case overscan, bias, dark, flat }

    /// The card that tells of each step.
    private let cards: [Step: String]
    /// Whether this program has written the image, so that a step without a card was not done.
    package let isComplete: Bool

    /// Reads the cards of this program, of IRAF and of ccdproc.
    package init(_ cards: ImageCards) {
        var found: [Step: String] = [:]
        for step in Step.allCases {
            found[step] =
                Self.keywords(step).first { cards.value($0) != nil }
                ?? Self.foreignKeywords(step).first { cards.value($0)?.words.contains(" ") == true }
        }
        self.cards = found
        let own = ["COMBMETH", "CALTRIM"] + Step.allCases.flatMap(Self.keywords)
        isComplete = own.contains { cards.value($0) != nil }
    }

    /// The card that tells of a step; nil if none does.
    package subscript(step: Step) -> String? { cards[step] }

    /// Whether the level that each frame has, whatever its exposure, was subtracted; nil if no card tells.
    package var lacksLevel: Bool? {
        if DarkScale.canScale(lacksBias: cards[.bias] != nil, lacksOverscan: cards[.overscan] != nil) { return true }
        return isComplete ? false : nil
    }

    /// The cards that this program writes.
    static func keywords(_ step: Step) -> [String] {
        switch step {
        case .overscan: ["CALOVSC"]
        case .bias: ["CALBIAS", "COMBBIAS"]
        case .dark: ["CALDARK", "COMBDARK"]
        case .flat: ["CALFLAT"]
        }
    }

    /// The cards of IRAF and ccdproc, which hold sentences. Cameras write numbers and single words into cards with these
    /// names.
    private static func foreignKeywords(_ step: Step) -> [String] {
        switch step {
        case .overscan: ["OVERSCAN", "SUBOSCAN"]
        case .bias: ["ZEROCOR", "SUBBIAS"]
        case .dark: ["DARKCOR", "SUBDARK"]
        case .flat: ["FLATCOR"]
        }
    }
}
