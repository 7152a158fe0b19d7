/// XXH3-64 of the inputs of a scan: header and samples of the image and of its maps.
public struct InputChecksums: Codable, Equatable, Sendable {
    /// Checksum of the image.
    public var image: UInt64
    /// Checksum of the mask, if there is one.
    public var mask: UInt64?
    /// Checksum of the weight map, if there is one.
    public var weights: UInt64?

    /// Checksums computed elsewhere.
    public init(image: UInt64, mask: UInt64? = nil, weights: UInt64? = nil) {
        self.image = image
        self.mask = mask
        self.weights = weights
    }

    /// Differences from `other`, in words; empty if there are none.
    package func differences(from other: InputChecksums) -> [String] {
        var differences: [String] = []
        if image != other.image { differences.append("the image has changed") }
        if mask != other.mask { differences.append("the mask has changed") }
        if weights != other.weights { differences.append("the weight map has changed") }
        return differences
    }
}
