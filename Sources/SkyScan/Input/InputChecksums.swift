/// XXH3-64 of what a scan reads: header and samples of the image and of its maps.
public struct InputChecksums: Codable, Equatable, Sendable {
    /// Of the image.
    public var image: UInt64
    /// Of the mask, if there is one.
    public var mask: UInt64?
    /// Of the weight map, if there is one.
    public var weights: UInt64?

    /// Checksums that were computed elsewhere.
    public init(image: UInt64, mask: UInt64? = nil, weights: UInt64? = nil) {
        self.image = image
        self.mask = mask
        self.weights = weights
    }

    /// What differs from `other`, in words; empty if nothing does.
    package func differences(from other: InputChecksums) -> [String] {
        var differences: [String] = []
        if image != other.image { differences.append("the image has changed") }
        if mask != other.mask { differences.append("the mask has changed") }
        if weights != other.weights { differences.append("the weight map has changed") }
        return differences
    }
}
