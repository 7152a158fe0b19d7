import Foundation
public import SkyFITS

/// Right ascension and declination on a grid over the image, between whose points the page interpolates.
public struct SkyGrid: Encodable, Sendable {
    /// Reference system, such as `ICRS`.
    package var system: String
    /// Number of points along each side.
    package var nodes: Int
    /// Right ascension and declination of each point, row by row, in degrees, as little-endian 64-bit floats in base64.
    /// The first point is the outer corner of the first pixel, the last point that of the last pixel.
    package var places: String

    /// Creates the grid of an image of `width` by `height` pixels; nil if a point has no celestial coordinates.
    public init?(_ wcs: CelestialWCS, width: Int, height: Int, nodes: Int = 33) {
        let steps = (0..<nodes).map { Double($0) / Double(nodes - 1) }
        let (ra, dec) = wcs.coordinates(
            x: steps.flatMap { _ in steps.map { $0 * Double(width) - 0.5 } },
            y: steps.flatMap { step in steps.map { _ in step * Double(height) - 0.5 } })
        guard (ra + dec).allSatisfy(\.isFinite) else { return nil }
        (system, self.nodes) = (wcs.referenceSystem, nodes)
        let words = zip(ra, dec).flatMap { [$0.bitPattern.littleEndian, $1.bitPattern.littleEndian] }
        places = words.withUnsafeBytes { Data($0).base64EncodedString() }
    }
}
