/// The cosmic rays that were found in an image.
package struct FoundRays: Equatable, Sendable {
    /// Numbers of their pixels in raster order, ascending.
    package var pixels: [Int] = []
    /// The values that replace these pixels.
    package var values: [Float] = []

    package init() {}
}

/// Two numbers of a whole image that the search for cosmic rays needs in each part of it, in electrons.
package struct RayLevels: Codable, Hashable, Sendable {
    /// The median of the pixels that have a value and are not bad. It stands for those that have none.
    var fill: Float
    /// The median of the pixels that are searched. It replaces a pixel that has no good one around it.
    var background: Float
}

extension CosmicRaySearch {
    /// Rows beyond those of a part of the image on which its cosmic rays depend.
    package static func margin(_ parameters: CosmicRayParameters) -> Int {
        let filters = Filters(isSeparable: parameters.sepmed)
        let candidates = max(
            filters.level.radius + filters.significance.radius, filters.fine.radius + filters.fineSmooth.radius)
        // Twice a neighbour of what was found, and the 5 x 5 pixels that replace a pixel.
        let iteration = candidates + 2 + 2
        // The surroundings of saturated stars, of which the smooth image tells.
        return parameters.niter * iteration + filters.level.radius + 4
    }

    /// Finds cosmic rays in a part of an image, or in all of it.
    /// - Parameters:
    ///   - pixels: of this search's rows, which have the margin of the part where the image goes on.
    ///   - bits: of the mask of each pixel.
    ///   - rows: the part, in rows of this search.
    ///   - levels: those of the whole image; nil if these are all of its pixels.
    /// - Returns: the cosmic rays, whose pixels are counted from the first one of the part.
    package func rays(_ pixels: [Float], bits: [UInt8], in rows: Range<Int>, _ levels: RayLevels?) -> FoundRays {
        var clean = pixels
        let marks = self.clean(&clean, bits: bits, levels)
        var found = FoundRays()
        let start = rows.lowerBound * width
        for index in start..<rows.upperBound * width where marks[index] != 0 {
            found.pixels.append(index - start)
            found.values.append(clean[index])
        }
        return found
    }

    /// Finds cosmic rays as ``clean(_:masked:saturated:levels:)`` does, by the bits of a mask.
    func clean(_ pixels: inout [Float], bits: [UInt8], _ levels: RayLevels? = nil) -> [UInt8] {
        let (masked, saturated) = Self.masks(bits)
        return clean(&pixels, masked: masked, saturated: saturated, levels: levels)
    }

    /// The pixels that are not searched, and those that are saturated: the level of saturation is that of raw samples, to
    /// which calibrated pixels do not compare.
    static func masks(_ bits: [UInt8]) -> (masked: [UInt8], saturated: [UInt8]) {
        (bits.map { $0 & MaskBits.badPixel.rawValue }, bits.map { $0 & MaskBits.saturated.rawValue })
    }
}
