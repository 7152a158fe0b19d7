package import SkyFITS

/// Whether a dark is scaled to the exposure of a frame.
package enum DarkScale: String, CaseIterable, Sendable {
    case none
    /// By the ratio of the exposure times.
    case exptime
}

/// The exposure time of a frame, in seconds, from its cards.
package enum ExposureTime {
    static let keywords = ["EXPTIME", "EXPOSURE", "EXP_TIME", "ITIME"]

    /// The exposure time; nil without a card that tells it.
    package static func of(_ cards: ImageCards) -> Double? {
        keywords.lazy.compactMap { cards.value($0)?.number }.first { $0 >= 0 }
    }

    /// Returns by what a dark is multiplied for a frame: the ratio of their exposure times, or 1.
    /// - Throws: ``ScanSetupError`` if an exposure time is not known.
    package static func factor(
        of dark: MasterSummary, for cards: ImageCards, named name: ImageLocation, _ scale: DarkScale
    ) throws(ScanSetupError) -> Double {
        if scale == .none { return 1 }
        guard let frameTime = of(cards) else {
            throw ScanSetupError("\(name): has no card EXPTIME, by which the dark is scaled; add --dark-scale none")
        }
        guard let darkTime = of(dark.cards), darkTime > 0 else {
            throw ScanSetupError(
                "\(dark.location): the dark has no exposure time above 0 in EXPTIME; add --dark-scale none")
        }
        return frameTime / darkTime
    }
}
