package import SkyFITS

/// What is told of a master.
package struct MasterSummary: Sendable {
    package let location: ImageLocation
    package let checksum: String
    package let cards: ImageCards
}

extension FramePixels {
    /// What is told of it as a master.
    package var summary: MasterSummary { MasterSummary(location: location, checksum: checksum, cards: cards) }
}
