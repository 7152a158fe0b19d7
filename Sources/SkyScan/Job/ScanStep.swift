/// A step of a sky scan.
public enum ScanStep: String, Codable, CaseIterable, Hashable, Sendable {
    /// Pass 1: the background of each band.
    case background
    /// Pass 2: the sources of each band.
    case extraction
    /// Sources that bands cut, in larger windows.
    case cutIslands = "cut-islands"
    /// Removal of detections that a neighbour's wings explain; done by the coordinator.
    case cleaning
    /// Sources whose apertures were cut, in larger windows.
    case photometry
}
