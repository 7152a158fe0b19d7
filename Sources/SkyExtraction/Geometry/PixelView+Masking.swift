internal import CNumbers

extension PixelView {
    /// Pixels of this magnitude or above, about 1.3e30, are unusable. SEP sums in single precision: greater pixels make
    /// its sums NaN, from which it then derives memory offsets. SEP itself uses 1e30 for a pixel without value.
    package static var limit: Float { 0x1p100 }

    /// Number of unusable pixels: not finite, too large, masked by the user, or without weight.
    package var maskedCount: Int {
        var count = 0
        for row in 0..<rect.height { count += maskedCount(inRow: row) }
        return count
    }

    private func maskedCount(inRow row: Int) -> Int {
        let start = row * stride
        var count = 0
        if mask == nil, weights == nil {
            // The common case, written so that the compiler vectorises it.
            (pixels + start).withMemoryRebound(to: UInt32.self, capacity: rect.width) { bits in
                var found: Int32 = 0
                let limit = Self.limit.bitPattern
                for column in 0..<rect.width { found &+= bits[column] & 0x7fff_ffff >= limit ? 1 : 0 }
                count = Int(found)
            }
        } else {
            for column in 0..<rect.width where isMasked(start + column) { count += 1 }
        }
        return count
    }

    /// The greatest magnitude of all pixels; NaN if one of them is NaN.
    var greatestMagnitude: Float {
        var greatest: Float = 0
        for row in 0..<rect.height {
            let magnitude = (pixels + row * stride).greatestMagnitude(count: rect.width)
            // NaN is not less than any number.
            if !(magnitude < greatest) { greatest = magnitude }
            if greatest.isNaN { break }
        }
        return greatest
    }

    /// Writes 1 for each unusable pixel and 0 for all others, row by row.
    package func writeMask(to output: UnsafeMutablePointer<UInt8>) {
        for row in 0..<rect.height {
            for column in 0..<rect.width {
                output[row * rect.width + column] = isMasked(row * stride + column) ? 1 : 0
            }
        }
    }

    /// True if the pixel at an offset is unusable.
    package func isMasked(_ offset: Int) -> Bool {
        // NaN is not less than any number.
        if !(pixels[offset].magnitude < Self.limit) { return true }
        if let mask, mask[offset] != 0 { return true }
        if let weights, !(weights[offset] > 0 && weights[offset].isFinite) { return true }
        return false
    }
}

extension UnsafePointer<Float> {
    /// The greatest magnitude of `count` numbers; NaN if one of them is NaN.
    func greatestMagnitude(count: Int) -> Float { skyfarm_greatest_magnitude(self, count) }
}
