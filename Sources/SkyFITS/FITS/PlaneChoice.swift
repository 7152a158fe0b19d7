/// Which planes of a cube, an image with a third axis, are images of their own.
public enum PlaneChoice: Equatable, Sendable {
    /// Those of a colour camera, which writes red, green and blue as three planes; other cubes hold no image.
    case colours
    /// Every plane.
    case all
    /// The plane with this number, from 1.
    case number(Int)

    /// Most planes of a cube that are images.
    package static let limit = 1 << 18
}
