internal import ScanBasics

/// A camera: what it adds to the light of a frame and how it loses some, the same in all frames.
package struct SyntheticCamera: Sendable {
    /// Properties that are the same for all pixels. The defaults are those of a cooled CCD.
    package struct Parameters: Equatable, Sendable {
        /// Columns before the image, and columns of overscan after it.
        package var prescan = 16
        package var overscan = 32
        /// Counts of a pixel without charge.
        package var biasLevel = 1000.0
        /// Standard deviation of the bias among columns, in counts, and the most by which it drifts during a frame.
        package var biasStructure = 3.0
        package var biasDrift = 4.0
        /// Electrons per second in an ordinary pixel.
        package var darkCurrent = 0.05
        /// Shares of pixels with a high dark current, and of those that hardly respond to light.
        package var hotShare = 5e-4
        package var deadShare = 1e-4
        /// Defective columns per thousand.
        package var badColumns = 0.5
        /// Standard deviation of the response among pixels.
        package var pixelResponse = 0.01
        /// Share of the light that is lost in the corners.
        package var vignetting = 0.2
        /// Number of shadows of dust.
        package var dust = 8
        /// Cosmic rays per million pixels in 100 s.
        package var rayRate = 10.0

        package init() {}
    }

    /// A pixel that differs from the others.
    struct Defect {
        var x: Int
        /// The factor of the response.
        var response = 1.0
        /// Electrons per second beside the ordinary ones.
        var current = 0.0
    }

    private struct Shadow {
        var x: Double
        var y: Double
        var radius: Double
        var depth: Double
    }

    package let parameters: Parameters
    /// The image, without prescan and overscan.
    package let width: Int
    package let height: Int
    let gain: Double
    private let seed: UInt64
    private let shadows: [Shadow]
    private let columns: [Double]
    private let defects: [Int: [Defect]]
    private var scale = 1.0

    /// A camera for images of a sky.
    package init(_ parameters: Parameters, for sky: SyntheticSky.Parameters) {
        self.parameters = parameters
        (width, height, gain, seed) = (sky.width, sky.height, sky.gain, sky.seed)
        var generator = SplitMix64(seed: seed, stream: Self.stream(1))
        let side = Double(min(width, height))
        shadows = (0..<parameters.dust).map { [width, height] _ in
            Shadow(
                x: generator.uniform() * Double(width), y: generator.uniform() * Double(height),
                radius: generator.uniform(in: 0.01...0.04) * side, depth: generator.uniform(in: 0.03...0.12))
        }
        var noise = SkyNoise(generator: SplitMix64(seed: seed, stream: Self.stream(2)))
        let all = width + parameters.prescan + parameters.overscan
        columns = (0..<all).map { _ in parameters.biasStructure * noise.normal() }
        defects = Self.defects(parameters, width, height, seed)
        scale = 1 / smoothMedian()
    }

    /// Number of a random sequence of the camera.
    private static func stream(_ purpose: UInt64, row: Int = 0) -> UInt64 {
        0xffff << 48 | purpose << 40 | UInt64(row)
    }

    private static func defects(
        _ parameters: Parameters, _ width: Int, _ height: Int, _ seed: UInt64
    ) -> [Int: [Defect]] {
        var generator = SplitMix64(seed: seed, stream: stream(3))
        var defects: [Int: [Defect]] = [:]
        let pixels = Double(width) * Double(height)
        for (share, isHot) in [(parameters.hotShare, true), (parameters.deadShare, false)] {
            for _ in 0..<Int((share * pixels).rounded()) {
                let y = Int(generator.uniform() * Double(height))
                var defect = Defect(x: Int(generator.uniform() * Double(width)))
                if isHot {
                    defect.current = generator.uniform(in: 2...60)
                } else {
                    defect.response = generator.uniform(in: 0...0.2)
                }
                defects[y, default: []].append(defect)
            }
        }
        for _ in 0..<Int((parameters.badColumns * Double(width) / 1000).rounded(.up)) {
            let x = Int(generator.uniform() * Double(width))
            for y in Int(generator.uniform() * Double(height))..<height {
                defects[y, default: []].append(Defect(x: x, response: 0.1, current: 5))
            }
        }
        return defects
    }

    // MARK: - Response

    /// Vignetting and dust.
    private func smoothResponse(x: Int, y: Int) -> Double {
        let (u, v) = (2 * Double(x) / Double(max(1, width - 1)) - 1, 2 * Double(y) / Double(max(1, height - 1)) - 1)
        var response = 1 - parameters.vignetting * (u * u + v * v) / 2
        for shadow in shadows {
            let (dx, dy) = (Double(x) - shadow.x, Double(y) - shadow.y)
            let square = (dx * dx + dy * dy) / (shadow.radius * shadow.radius)
            // A ring, as that of dust out of focus.
            if square < 1, square > 0.15 { response *= 1 - shadow.depth }
        }
        return response
    }

    /// The median of the smooth response on a grid, to which responses refer.
    private func smoothMedian() -> Double {
        let (stepX, stepY) = (max(1, width / 256), max(1, height / 256))
        var values: [Double] = []
        for y in stride(from: stepY / 2, to: height, by: stepY) {
            for x in stride(from: stepX / 2, to: width, by: stepX) { values.append(smoothResponse(x: x, y: y)) }
        }
        values.sort()
        return values.isEmpty ? 1 : values[values.count / 2]
    }

    /// The factors of the light of the pixels of a row; their median over the image is 1.
    func response(row: Int) -> [Double] {
        var noise = SkyNoise(generator: SplitMix64(seed: seed, stream: Self.stream(4, row: row)))
        var response = (0..<width).map { x in
            max(0, smoothResponse(x: x, y: row) * scale * (1 + parameters.pixelResponse * noise.normal()))
        }
        for defect in defects[row] ?? [] { response[defect.x] *= defect.response }
        return response
    }

    /// Electrons per second of the pixels of a row.
    func darkCurrent(row: Int) -> [Double] {
        var current = [Double](repeating: parameters.darkCurrent, count: width)
        for defect in defects[row] ?? [] { current[defect.x] += defect.current }
        return current
    }

    /// Whether the pixels of a row are bad: 1 if they hardly respond, 2 if their dark current is high, or both.
    package func badPixels(row: Int) -> [Float] {
        var bad = [UInt8](repeating: 0, count: width)
        for defect in defects[row] ?? [] {
            bad[defect.x] |= (defect.response < 1 ? 1 : 0) | (defect.current > 0 ? 2 : 0)
        }
        return bad.map(Float.init)
    }

    // MARK: - Bias

    /// The bias of the columns of a raw row, in counts. `drift`, from 0 to 1, is that of the frame.
    func bias(row: Int, drift: Double) -> [Double] {
        let level = parameters.biasLevel + parameters.biasDrift * drift * Double(row) / Double(max(1, height))
        return columns.map { level + $0 }
    }

    /// Width of a raw frame.
    package var rawWidth: Int { columns.count }
}
