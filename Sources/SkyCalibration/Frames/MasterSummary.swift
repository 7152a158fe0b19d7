package import SkyFITS

/// What is told of a master.
package struct MasterSummary: Sendable {
    package let location: ImageLocation
    package let checksum: String
    package let steps: DoneSteps
    /// Seconds; nil if no card tells them.
    package let exposure: Double?
}

extension FramePixels {
    /// What is told of it as a master.
    package var summary: MasterSummary {
        MasterSummary(location: location, checksum: checksum, steps: DoneSteps(cards), exposure: exposure)
    }

    /// Exposure time in seconds; nil if no card tells it.
    var exposure: Double? { ExposureTime.of(cards, primary: primary) }
}
