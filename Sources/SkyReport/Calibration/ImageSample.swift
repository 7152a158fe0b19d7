internal import ScanBasics

/// Level and extremes of an image, by values that are evenly spread over it, as its rows are read.
package struct ImageSample {
    /// Number of pixels that are not finite; of all pixels.
    package private(set) var missing = 0
    /// Sum of the finite ones of all pixels.
    package private(set) var sum = 0.0
    /// Number of pixels so far.
    package private(set) var count = 0
    /// The finite values of the sample; in ascending order after ``finish()``.
    private var values: [Float] = []
    private let step: Int
    private var next = 0

    /// Begins the sample of an image of `width` by `height` pixels: all values, or about `limit` of them.
    package init(width: Int, height: Int, limit: Int = 1 << 20) {
        // A step without a common factor with the width visits all columns.
        var step = max(1, (width * height + limit - 1) / limit)
        while greatestCommonDivisor(step, width) != 1 { step += 1 }
        self.step = step
    }

    /// Adds the next pixels, in the order of the image.
    package mutating func add(_ pixels: UnsafeBufferPointer<Float>) {
        for pixel in pixels {
            if pixel.isFinite { sum += Double(pixel) } else { missing += 1 }
        }
        while next < count + pixels.count {
            let pixel = pixels[next - count]
            if pixel.isFinite { values.append(pixel) }
            next += step
        }
        count += pixels.count
    }

    /// Ends the sample, before it is asked.
    package mutating func finish() { values.sort() }

    /// The value that this share of the values does not exceed; nil if no value is finite.
    package func value(at share: Double) -> Double? {
        values.isEmpty ? nil : Double(values[Int(Double(values.count - 1) * share)])
    }

    /// The share of the finite values that are below a limit.
    package func share(below limit: Double) -> Double {
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if Double(values[middle]) < limit { low = middle + 1 } else { high = middle }
        }
        return values.isEmpty ? 0 : Double(low) / Double(values.count)
    }
}
