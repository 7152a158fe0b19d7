/// Identifies an image in a file: its HDU, and the plane if the HDU is a cube.
public struct ImageExtension: Hashable, Sendable {
    /// The number of the HDU; 0 is the primary HDU.
    public var number: Int
    /// The value of EXTNAME; nil if the header has none.
    public var name: String?
    /// The value of EXTVER; 1 if the header has none.
    public var version: Int
    /// The plane of a cube, from 1; nil if the HDU is a single image.
    public var plane: Int?

    /// Creates an identifier of an HDU or of one of its planes.
    public init(number: Int, name: String?, version: Int = 1, plane: Int? = nil) {
        (self.number, self.name, self.version, self.plane) = (number, name, version, plane)
    }

    /// The selector for the image in its file.
    package var selector: ImageLocation.Selector {
        plane.map { .plane($0, of: .number(number)) } ?? .number(number)
    }

    /// Whether a selector selects this image, or the HDU of which it is a plane.
    package func matches(_ selector: ImageLocation.Selector) -> Bool {
        switch selector {
        case .firstImage: true
        case .number(let number): number == self.number
        case .name(let name, let version):
            name.uppercased() == self.name?.uppercased() && version ?? self.version == self.version
        case .plane(let plane, let hdu): plane == self.plane ?? 1 && matches(hdu)
        }
    }

    /// Description such as "HDU 1" or "plane 2 of HDU 1".
    package var words: String { (plane.map { "plane \($0) of " } ?? "") + "HDU \(number)" }
}
