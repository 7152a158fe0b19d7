/// The flag of sources that a trail touches.
public enum TrailFlag {
    /// Neither SEP nor SExtractor uses this bit.
    public static let bit = 512
}
