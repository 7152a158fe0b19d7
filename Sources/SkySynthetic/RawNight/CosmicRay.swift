internal import CElementary
internal import ScanBasics

/// The track of a cosmic ray in a frame.
package struct CosmicRay: Equatable, Sendable {
    /// A pixel that it crosses, with the electrons that it leaves there.
    package struct Pixel: Equatable, Sendable {
        package var x: Int
        package var y: Int
        package var electrons: Double
    }

    package var pixels: [Pixel]

    /// Draws the rays of a frame of `width` x `height` pixels: a Poisson number with this mean, straight tracks in all
    /// directions whose lengths have an exponential distribution.
    static func shower(
        mean: Double, width: Int, height: Int, _ generator: SplitMix64
    ) -> [CosmicRay] {
        var noise = SkyNoise(generator: generator)
        let count = Int(noise.poisson(mean: mean).rounded())
        return (0..<count).compactMap { _ in track(width, height, &noise.generator) }
    }

    private static func track(_ width: Int, _ height: Int, _ generator: inout SplitMix64) -> CosmicRay? {
        let x = generator.uniform() * Double(width) - 0.5
        let y = generator.uniform() * Double(height) - 0.5
        let direction = SyntheticSource.Direction.random(&generator)
        let length = min(60, 1 - 4 * Elementary.log(1 - generator.uniform()))
        let electrons = 300 * Elementary.exp(1.5 * generator.uniform())
        var ray = CosmicRay(pixels: [])
        for step in 0..<Int(2 * length) + 1 {
            let column = Int((x + Double(step) / 2 * direction.cosine).rounded())
            let row = Int((y + Double(step) / 2 * direction.sine).rounded())
            guard (0..<width).contains(column), (0..<height).contains(row) else { break }
            if let last = ray.pixels.last, (last.x, last.y) == (column, row) { continue }
            ray.pixels.append(Pixel(x: column, y: row, electrons: electrons * generator.uniform(in: 0.5...1.5)))
        }
        return ray.pixels.isEmpty ? nil : ray
    }
}
