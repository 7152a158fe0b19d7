/// Selects the planes of a cube, an image with a third axis, that are treated as images.
public enum PlaneChoice: Equatable, Sendable {
    /// The planes of a colour image, with red, green and blue as three planes; other cubes contain no image.
    case colours
    /// All planes, up to 2^18.
    case all
    /// The plane with this number, from 1.
    case number(Int)

    /// Maximum number of planes of a cube that are treated as images.
    package static let limit = 1 << 18
}
