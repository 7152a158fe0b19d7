/// A step of a sky scan.
public enum ScanStep: String, Codable, CaseIterable, Hashable, Sendable {
    /// Pass 1: the background of each band.
    case background
    /// Pass 2: the sources of each band.
    case extraction
    /// Sources cut by bands, extracted in larger windows.
    case cutIslands = "cut-islands"
    /// Removal of detections explained by a neighbour's wings; done by the coordinator.
    case cleaning
    /// Sources whose apertures were cut, measured in larger windows.
    case photometry
}
