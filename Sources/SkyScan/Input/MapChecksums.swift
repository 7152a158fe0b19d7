/// XXH3-64 of header and samples of the maps that belong to an image.
public struct MapChecksums: Hashable, Sendable {
    /// Of the mask, if there is one.
    public var mask: UInt64?
    /// Of the weight map, if there is one.
    public var weights: UInt64?

    /// No map.
    public init() {}
}
