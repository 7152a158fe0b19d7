internal import ScanBasics
package import SkyExtraction
internal import SkyFITS

/// The image of the built-in scan: blends, a source that every band cuts, a mask and weights.
///
/// Made by additions, multiplications and divisions alone, which all processors round alike.
package struct BuiltInPatch {
    /// Columns and rows: so few pixels that a scan takes milliseconds.
    package static let (width, height) = (64, 96)
    /// Rows of a band: there are three.
    package static let bandRows = 32
    /// Rows of a band's halo: so few that sources and apertures reach beyond it.
    package static let halo = 16

    /// Samples, row by row.
    private var pixels: [Float]
    /// A whole mesh and a rectangle beside it.
    private let mask: [UInt8]
    /// From 0.5 to 1.5; 0 where the mask is set.
    private let weights: [Float]

    package init() {
        var generator = SplitMix64(seed: 0x5eed)
        pixels = (0..<Self.width * Self.height).map { offset in
            let (row, column) = offset.quotientAndRemainder(dividingBy: Self.width)
            let noise = (0..<4).reduce(0) { sum, _ in sum + generator.uniform() } - 2
            return Float(100 + 0.05 * Double(column) + 0.02 * Double(row) + 3 * noise)
        }
        let isMasked = (0..<Self.width * Self.height).map { offset in
            let (row, column) = offset.quotientAndRemainder(dividingBy: Self.width)
            return column >= 48 && row < 16 || (5..<11).contains(column) && (84..<88).contains(row)
        }
        mask = isMasked.map { $0 ? 1 : 0 }
        weights = isMasked.enumerated().map { $1 ? 0 : 0.5 + Float($0 % 64) / 64 }
        addBlends(&generator)
        add(Profile(x: 39.3, y: 48.6, amplitude: 40, xx: 0.4, yy: 2e-3, xy: 0), reach: 22)
    }

    /// Changes the last bit of the pixel at an offset, for tests.
    package mutating func nudge(_ offset: Int) { pixels[offset] = pixels[offset].nextUp }

    /// The view of a scan, valid during `body`.
    package func withView<Result>(masked: Bool, weighted: Bool, _ body: (PixelView) throws -> Result) throws -> Result {
        try pixels.withUnsafeBufferPointer { pixels in
            try mask.withUnsafeBufferPointer { mask in
                try weights.withUnsafeBufferPointer { weights in
                    try body(
                        PixelView(
                            rect: PixelRect(x: 0..<Self.width, y: 0..<Self.height), pixels: pixels,
                            mask: masked ? mask : nil, weights: weighted ? weights : nil))
                }
            }
        }
    }

    /// One to three sources near each other in each cell of a grid.
    private mutating func addBlends(_ generator: inout SplitMix64) {
        for cellY in stride(from: 0, to: Self.height, by: 20) {
            for cellX in stride(from: 0, to: Self.width, by: 24) {
                let x = Double(cellX) + generator.uniform(in: 6...18)
                let y = Double(cellY) + generator.uniform(in: 5...15)
                for _ in 0...Int(generator.next() % 3) {
                    let (xx, yy) = (generator.uniform(in: 0.2...0.8), generator.uniform(in: 0.2...0.8))
                    let profile = Profile(
                        x: x + generator.uniform(in: -5...5), y: y + generator.uniform(in: -5...5),
                        amplitude: generator.uniform(in: 15...300), xx: xx, yy: yy,
                        xy: generator.uniform(in: -0.1...0.1))
                    add(profile, reach: 12)
                }
            }
        }
    }

    /// `amplitude` / (1 + q)², with q a quadratic form of the distance.
    private struct Profile {
        var x: Double
        var y: Double
        var amplitude: Double
        var xx: Double
        var yy: Double
        var xy: Double
    }

    /// Adds a source to the pixels at most `reach` rows and 12 columns from it.
    private mutating func add(_ profile: Profile, reach: Int) {
        for row in max(0, Int(profile.y) - reach)..<min(Self.height, Int(profile.y) + reach) {
            for column in max(0, Int(profile.x) - 12)..<min(Self.width, Int(profile.x) + 12) {
                let (dx, dy) = (Double(column) - profile.x, Double(row) - profile.y)
                let distance = 1 + profile.xx * dx * dx + profile.yy * dy * dy + profile.xy * dx * dy
                pixels[row * Self.width + column] += Float(profile.amplitude / (distance * distance))
            }
        }
    }
}
