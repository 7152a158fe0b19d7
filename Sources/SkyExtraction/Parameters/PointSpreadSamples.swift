internal import CElementary

/// Samples of a point spread function at one place of the image.
package struct PointSpreadSamples {
    package var width: Int
    package var height: Int
    /// Distance of samples, in pixels.
    package var step: Double
    /// Row by row; the function's centre is the sample (`width` / 2, `height` / 2).
    package var values: [Double]

    /// Lobes of the interpolation on either side, in samples: Lanczos's kernel of this order, as PSFEx's manual names it.
    private static let order = 4

    /// The function with its centre at `x`, `y` in the pixels of a grid from 0, row by row.
    package func pixels(x: Double, y: Double, columns: Int, rows: Int) -> [Double] {
        let horizontal = taps(centre: x, count: columns, middle: width / 2)
        let vertical = taps(centre: y, count: rows, middle: height / 2)
        var lines = [Double](repeating: 0, count: height * columns)
        for line in 0..<height {
            for (column, taps) in horizontal.enumerated() {
                lines[line * columns + column] = taps.sum(values, start: line * width, stride: 1, count: width)
            }
        }
        var pixels = [Double](repeating: 0, count: rows * columns)
        for (row, taps) in vertical.enumerated() {
            for column in 0..<columns {
                pixels[row * columns + column] = taps.sum(lines, start: column, stride: columns, count: height)
            }
        }
        return pixels
    }

    /// The samples that interpolation at one coordinate uses, and their weights, whose sum is 1.
    private struct Taps {
        var first: Int
        var weights: [Double]

        /// The weighted sum of a line of `count` samples.
        @inline(__always)
        func sum(_ line: [Double], start: Int, stride: Int, count: Int) -> Double {
            var sum = 0.0
            for (index, weight) in weights.enumerated() where (0..<count).contains(first + index) {
                sum += weight * line[start + (first + index) * stride]
            }
            return sum
        }
    }

    private func taps(centre: Double, count: Int, middle: Int) -> [Taps] {
        (0..<count).map { pixel in
            let place = (Double(pixel) - centre) / step + Double(middle)
            // Far from the function there is nothing.
            guard place > -Double(Self.order), place < Double(max(width, height) + Self.order) else {
                return Taps(first: 0, weights: [])
            }
            let first = Int(place.rounded(.down)) - Self.order + 1
            var weights = (first..<first + 2 * Self.order).map { Self.lanczos(place - Double($0)) }
            let sum = weights.reduce(0, +)
            for index in weights.indices { weights[index] /= sum }
            return Taps(first: first, weights: weights)
        }
    }

    private static func lanczos(_ distance: Double) -> Double {
        if abs(distance) >= Double(order) { return 0 }
        let angle = Double.pi * distance
        if abs(angle) < 1e-5 { return 1 }
        return Elementary.sin(angle) / angle * Elementary.sin(angle / Double(order)) / (angle / Double(order))
    }
}
