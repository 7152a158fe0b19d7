/// The rows of the suite `night`, each a set of images.
enum NightRow: String, CaseIterable {
    case large, largeRice = "large-rice"
    case medium, mediumRice = "medium-rice"
    case mosaic, mosaicRice = "mosaic-rice"
    case small

    /// The images, where the large ones have `size` columns and rows.
    func images(size: Int) -> NightImages {
        switch self {
        case .large: NightImages(count: 100, width: size, height: size)
        case .medium: NightImages(count: 400, width: size / 2, height: size / 2)
        case .mosaic: NightImages(count: 60, width: size, height: 2 * size, isMosaic: true)
        case .small: NightImages(count: 10_000, width: max(32, size / 8), height: max(32, size / 8))
        case .largeRice: Self.large.images(size: size).compressed
        case .mediumRice: Self.medium.images(size: size).compressed
        case .mosaicRice: Self.mosaic.images(size: size).compressed
        }
    }
}

extension NightImages {
    fileprivate var compressed: NightImages {
        var images = self
        images.isCompressed = true
        return images
    }
}
