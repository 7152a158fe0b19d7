package import SkyCalibration
internal import SkyFITS

/// How the image of a frame is cut into bands for the search for cosmic rays. Pure.
package struct RayBands: Sendable {
    package let width: Int
    package let height: Int
    /// Rows of a band.
    package let rows: Int
    private let margin: Int
    private let parameters: CosmicRayParameters

    /// Most pixels of a band with its margin, unless rows are too long: a search needs some 25 bytes for each.
    private static let largestArea = 1 << 24

    /// The bands of an image.
    /// - Parameters:
    ///   - width: columns of the image.
    ///   - height: rows of the image.
    ///   - parameters: parameters of the search, which tell the margin of a band.
    ///   - rows: rows of a band; nil for as few bands as give all slots work, since margins are searched twice, and all
    ///     pixels are needed before the first of several bands.
    ///   - slots: of all systems.
    ///   - images: number of images that are not done, with this one.
    package init(
        width: Int, height: Int, _ parameters: CosmicRayParameters, rows: Int?, slots: Int, images: Int
    ) {
        (self.width, self.height, self.parameters) = (width, height, parameters)
        margin = CosmicRaySearch.margin(parameters)
        let share = (max(1, slots) + max(1, images) - 1) / max(1, images)
        let wanted = rows ?? max((height + share - 1) / share, 4 * margin)
        let isWhole = wanted >= height && width <= Self.largestArea / max(1, height)
        let most = max(1, Self.largestArea / max(1, width) - 2 * margin)
        self.rows = max(1, isWhole ? height : min(wanted, most, height))
    }

    /// Number of bands.
    package var count: Int { (height + rows - 1) / rows }

    /// Whether the tasks need the levels of the whole image.
    package var needLevels: Bool { count > 1 }

    /// The tasks of all bands.
    package func tasks(_ levels: RayLevels?) -> [CosmicRayTask] {
        stride(from: 0, to: height, by: rows).enumerated().map { index, first in
            let band = first..<min(first + rows, height)
            let outer = max(0, band.lowerBound - margin)..<min(height, band.upperBound + margin)
            return CosmicRayTask(
                id: index,
                window: WindowPixels(rect: PixelRect(x: 0..<width, y: outer), hasWeights: false, hasMask: true),
                rows: band, parameters: parameters, levels: levels)
        }
    }

    /// The cosmic rays of the image, of whose bands these are the outputs.
    package func merged(_ outputs: [CosmicRayTask.Output]) -> FoundRays {
        var found = FoundRays()
        for (index, output) in outputs.enumerated() {
            found.pixels += output.pixels.map { index * rows * width + Int($0) }
            found.values += output.values
        }
        return found
    }
}
