/// The trail of a satellite or an aeroplane: a straight line of even brightness.
public struct Trail: Codable, Equatable, Sendable {
    /// Ends in pixels from 0, as `x` and `y` of a catalogue.
    public var x1: Double, y1: Double, x2: Double, y2: Double
    /// Full width at half maximum in pixels.
    public var width: Double
    /// Surface brightness on the axis, in units of the noise of a pixel.
    public var brightness: Double
    /// Contrast to both sides, in units of the deviation of that of parallel lines.
    public var significance: Double
    /// Number of sources that are parts of the trail.
    public var sources = 0

    /// A trail with these ends, width and brightness.
    package init(
        from first: (x: Double, y: Double), to second: (x: Double, y: Double), width: Double, brightness: Double,
        significance: Double = 0
    ) {
        (x1, y1, x2, y2) = (first.x, first.y, second.x, second.y)
        (self.width, self.brightness, self.significance) = (width, brightness, significance)
    }

    /// Length in pixels.
    public var length: Double { ((x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1)).squareRoot() }

    /// Sets the width to that of the stars if the coarse image shows none that is clearly larger. The light per pixel of
    /// length stays.
    mutating func sharpen(to star: Double) {
        guard width < 2.5 * star else { return }
        brightness *= width / star
        width = star
    }

    /// Whether both ends of another trail are within a distance in pixels of the line of this one.
    func covers(_ other: Trail, within distance: Int) -> Bool {
        [place(x: other.x1, y: other.y1), place(x: other.x2, y: other.y2)]
            .allSatisfy { $0.across.magnitude <= Double(distance) }
    }

    /// The step of one pixel along the trail.
    var step: (x: Double, y: Double) {
        let length = max(length, 1)
        return ((x2 - x1) / length, (y2 - y1) / length)
    }

    /// The place of a point: along the trail from its first end, and across it, in pixels.
    func place(x: Double, y: Double) -> (along: Double, across: Double) {
        let (ux, uy) = step
        return ((x - x1) * ux + (y - y1) * uy, (y - y1) * ux - (x - x1) * uy)
    }
}
