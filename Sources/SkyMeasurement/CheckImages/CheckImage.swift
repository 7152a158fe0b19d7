/// An image that shows what a scan did, under SExtractor's name: one of its check images.
public enum CheckImage: String, Codable, CaseIterable, Hashable, Sendable {
    /// For each pixel the number of its source in the catalogue, from 1; 0 for none.
    case segmentation = "SEGMENTATION"
    /// The background.
    case background = "BACKGROUND"
    /// The noise of the background.
    case noise = "BACKGROUND_RMS"
    /// The image without its background.
    case subtracted = "-BACKGROUND"
    /// The background of each mesh, after the median filter.
    case meshes = "MINIBACKGROUND"
    /// The noise of each mesh, after the median filter.
    case meshNoise = "MINIBACK_RMS"
    /// The image without its background after the filter: what is compared with the threshold.
    case filtered = "FILTERED"
    /// The pixels of the sources, without background; 0 elsewhere.
    case objects = "OBJECTS"
    /// The image without its background, with 0 in the pixels of the sources.
    case withoutObjects = "-OBJECTS"
    /// The image without its background, with the limits of the circular and the Kron apertures drawn in it.
    case apertures = "APERTURES"

    /// The image of this name of SExtractor, in any case; nil if there is none.
    public init?(name: String) { self.init(rawValue: name.uppercased()) }

    /// Whether it shows the sources.
    public var showsSources: Bool {
        switch self {
        case .segmentation, .objects, .withoutObjects: true
        case .background, .noise, .subtracted, .meshes, .meshNoise, .filtered, .apertures: false
        }
    }

    /// Whether it has a pixel for each mesh, instead of one for each pixel of the image.
    package var isMesh: Bool { self == .meshes || self == .meshNoise }

    /// Whether it is made from the pixels of the image.
    package var needsPixels: Bool {
        switch self {
        case .segmentation, .background, .noise, .meshes, .meshNoise: false
        case .subtracted, .filtered, .objects, .withoutObjects, .apertures: true
        }
    }
}
