import Foundation
import ScanBasics

import SkyExtraction
import SkyTestSupport

/// A small random image with random parameters, all from one seed.
struct RandomField {
    var image: TestImage
    var parameters = ScanParameters()
    var rows: Int
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        image = TestImage(width: 1, height: 1, pixels: [0])
        rows = 1
        image.width = size()
        image.height = size()
        rows = integer(1...image.height)
        makeSky()
        for _ in 0..<integer(0...max(1, image.width * image.height / (chance(0.3) ? 60 : 400))) { addBlob() }
        if chance(0.3) { addBleed() }
        if chance(0.3) { for index in image.pixels.indices { image.pixels[index].round() } }
        if chance(0.4) { addMask() }
        if chance(0.3) { addNonFinite() }
        if chance(0.35) { addWeights() }
        chooseParameters()
    }

    /// A field of 0 to 5 counts on an even background, with symmetric sources of 3 by 3 pixels: barycentres lie on the
    /// centres of pixels, and parts of pixels exactly at an aperture's radius.
    init(countsFrom seed: UInt64) {
        random = SplitMix64(seed: seed)
        image = TestImage(width: 1, height: 1, pixels: [0])
        rows = 1
        (image.width, image.height) = (integer(60...300), integer(100...300))
        rows = integer(1...image.height)
        image.pixels = (0..<image.width * image.height).map { _ in chance(0.1) ? 1 : 0 }
        for _ in 0..<image.pixels.count / integer(60...400) {
            let (x, y) = (integer(1...image.width - 2), integer(1...image.height - 2))
            let (centre, side, corner) = (integer(3...5), integer(1...3), integer(0...1))
            for (dy, line) in [[corner, side, corner], [side, centre, side], [corner, side, corner]].enumerated() {
                for (dx, value) in line.enumerated() {
                    image.pixels[(y + dy - 1) * image.width + x + dx - 1] = Float(value)
                }
            }
        }
        parameters.threshold = real(1...3)
        parameters.minArea = integer(1...5)
        parameters.noise = chance(0.5) ? .map : .global
        parameters.filter = chance(0.5) ? .none : .conv
    }

    private mutating func size() -> Int { chance(0.15) ? integer(1...12) : integer(1...(chance(0.5) ? 120 : 400)) }
    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }
    private mutating func integer(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func real(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }

    private mutating func makeSky() {
        let level = real(-50...3000)
        let slope = chance(0.5) ? real(-0.5...0.5) : 0
        let noise = chance(0.05) ? 0 : real(0.5...20)
        image.pixels = (0..<image.width * image.height).map { index in
            let sum = (0..<6).reduce(0.0) { sum, _ in sum + Double.random(in: -1...1, using: &random) }
            return Float(level + slope * Double(index / image.width + index % image.width) + noise * sum / 1.4)
        }
    }

    private mutating func addBlob() {
        let (x, y) = (real(0...Double(image.width)), real(0...Double(image.height)))
        let sigma = chance(0.08) ? real(8...60) : real(0.7...4)
        let (ratio, angle) = (real(0.2...1), real(0...3.14))
        let peak = pow(10, real(0.8...3.8))
        let reach = Int(sigma * 4) + 1
        for row in max(0, Int(y) - reach)..<min(image.height, max(0, Int(y) + reach)) {
            for column in max(0, Int(x) - reach)..<min(image.width, max(0, Int(x) + reach)) {
                let (dx, dy) = (Double(column) - x, Double(row) - y)
                let (u, v) = (dx * cos(angle) + dy * sin(angle), (dy * cos(angle) - dx * sin(angle)) / ratio)
                image.pixels[row * image.width + column] += Float(peak * exp(-(u * u + v * v) / (2 * sigma * sigma)))
            }
        }
    }

    private mutating func addBleed() {
        let column = integer(0...image.width - 1)
        let first = integer(0...image.height - 1)
        for row in first...integer(first...image.height - 1) { image.pixels[row * image.width + column] += 30000 }
    }

    private mutating func addMask() {
        var mask = [UInt8](repeating: 0, count: image.pixels.count)
        if chance(0.1) { mask = Array(repeating: 1, count: mask.count) }
        if chance(0.5) { for _ in 0..<integer(0...mask.count / 8) { mask[integer(0...mask.count - 1)] = 1 } }
        for _ in 0..<integer(0...4) {
            let (first, last) = (integer(0...image.height - 1), integer(0...image.height - 1))
            let (left, right) = (integer(0...image.width - 1), integer(0...image.width - 1))
            guard first <= last, left <= right else { continue }
            for row in first...last { for column in left...right { mask[row * image.width + column] = 255 } }
        }
        image.mask = mask
    }

    private mutating func addNonFinite() {
        for _ in 0..<integer(1...5) {
            let values: [Float] = [.nan, .infinity, -.infinity]
            image.pixels[integer(0...image.pixels.count - 1)] = values[integer(0...2)]
        }
    }

    private mutating func addWeights() {
        let unit = pow(10, real(-8...8))
        let (period, depth, scatter) = (real(3...200), real(0...0.9), chance(0.5) ? 0.5 : 0)
        var weights = image.pixels.indices.map { index in
            let (row, column) = index.quotientAndRemainder(dividingBy: image.width)
            let wave = 1 + depth * sin(Double(column) / period) * cos(Double(row) / period)
            return Float(unit * wave * (1 + scatter * Double.random(in: -1...1, using: &random)))
        }
        let useless: [Float] = [0, 0, -1, .nan, .infinity]
        if chance(0.6) {
            for _ in 0..<integer(0...weights.count / 20) {
                weights[integer(0...weights.count - 1)] = useless[integer(0...4)]
            }
        }
        if chance(0.2) { for row in 0..<integer(0...image.height / 3) { weights[row * image.width] = 0 } }
        image.weights = weights
    }

    private mutating func chooseParameters() {
        parameters.threshold = real(0.8...5)
        parameters.minArea = integer(1...9)
        parameters.deblendLevels = chance(0.7) ? 32 : integer(1...64)
        parameters.deblendContrast = chance(0.5) ? 0.005 : pow(10, real(-5...0))
        parameters.clean = chance(0.2) ? nil : chance(0.5) ? 1 : real(0.3...4)
        (parameters.meshWidth, parameters.meshHeight) = (integer(3...90), integer(3...90))
        (parameters.meshFilterWidth, parameters.meshFilterHeight) = (integer(1...5), integer(1...5))
        parameters.noise = image.weights != nil ? .weights : chance(0.5) ? .map : .global
        parameters.filter = chance(0.25) ? .none : parameters.noise != .global && chance(0.5) ? .matched : .conv
        parameters.apertureRadius = chance(0.7) ? 5 : real(0.3...80)
        if chance(0.4) {
            let (width, height) = (integer(0...7) * 2 + 1, integer(0...7) * 2 + 1)
            let values = (0..<width * height).map { _ in Float.random(in: -0.2...1, using: &random) }
            if let kernel = try? ConvolutionKernel(width: width, height: height, values: values) {
                parameters.kernel = kernel
            }
        }
        // Drawn last: the fields of older seeds stay what they are.
        if chance(0.3) {
            (parameters.kronFactor, parameters.kronMinimum) = (real(0.5...4), chance(0.3) ? 0 : real(0...6))
        }
        if chance(0.3) { parameters.gain = pow(10, real(-2...3)) }
    }
}
