package import SkyFITS

/// Whether a dark is scaled to the exposure of a frame.
package enum DarkScale: String, CaseIterable, Sendable {
    case none
    /// By the ratio of the exposure times.
    case exptime

    /// Returns whether a dark can be scaled: the level of each frame, which the overscan tells and the bias has, does not
    /// grow with the exposure.
    static func canScale(lacksBias: Bool, lacksOverscan: Bool) -> Bool { lacksBias || lacksOverscan }
}

/// The exposure time of a frame, in seconds, from its cards.
package enum ExposureTime {
    static let keywords = ["EXPTIME", "EXPOSURE", "EXP_TIME", "ITIME"]

    /// The exposure time; nil without a card that tells it.
    package static func of(_ cards: ImageCards) -> Double? {
        keywords.lazy.compactMap { cards.value($0)?.number }.first { $0 >= 0 }
    }

    /// The exposure time of an image, or else that of its file, also if the image inherits no cards.
    package static func of(_ cards: ImageCards, primary: FITSHeader) -> Double? {
        of(cards) ?? of(ImageCards(header: primary))
    }

    /// Returns whether two times are those of one setting.
    static func isSame(_ first: Double?, _ second: Double?) -> Bool {
        guard let first, let second else { return false }
        return (first - second).magnitude <= 0.05
    }

    /// Returns by what a dark is multiplied for a frame of an exposure time: the ratio of both times, or 1 for a dark with
    /// its bias, which must have the same time.
    /// - Parameters:
    ///   - dark: the dark.
    ///   - lacksLevel: whether the dark is known to be without the level that all frames have; nil if nothing is known.
    ///   - frame: name and exposure time of the frame.
    ///   - scale: whether it is scaled.
    /// - Returns: the factor.
    /// - Throws: ``ScanSetupError`` if an exposure time is not known, or the dark cannot be scaled.
    package static func factor(
        of dark: MasterSummary, lacksLevel: Bool?, for frame: (name: ImageLocation, time: Double?), _ scale: DarkScale
    ) throws(ScanSetupError) -> Double {
        if scale == .none { return 1 }
        let name = frame.name
        guard let frameTime = frame.time else {
            throw ScanSetupError(
                "\(name): has no exposure time in EXPTIME, by which the dark is scaled; add --dark-scale none")
        }
        guard let darkTime = dark.exposure, darkTime > 0 else {
            throw ScanSetupError(
                "\(dark.location): the dark has no exposure time above 0 in EXPTIME; add --dark-scale none")
        }
        if lacksLevel != true, isSame(frameTime, darkTime) { return 1 }
        guard lacksLevel != false else {
            throw ScanSetupError(
                "\(dark.location): still has its bias, as its cards tell, which does not grow from \(darkTime) s to the "
                    + "\(frameTime) s of \(name); combine the darks with --bias, or add --dark-scale none")
        }
        return frameTime / darkTime
    }
}
