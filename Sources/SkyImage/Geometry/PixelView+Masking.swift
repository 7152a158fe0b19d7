extension PixelView {
    /// Number of pixels that may not be used: not finite, masked by the user, or without weight.
    package var maskedCount: Int {
        var count = 0
        for row in 0..<rect.height { count += maskedCount(inRow: row) }
        return count
    }

    private func maskedCount(inRow row: Int) -> Int {
        let start = row * stride
        var count = 0
        if mask == nil, weights == nil {
            // The common case, in a form that the compiler vectorises.
            (pixels + start).withMemoryRebound(to: UInt32.self, capacity: rect.width) { bits in
                var found: Int32 = 0
                for column in 0..<rect.width { found &+= bits[column] & 0x7f80_0000 == 0x7f80_0000 ? 1 : 0 }
                count = Int(found)
            }
        } else {
            for column in 0..<rect.width where isMasked(start + column) { count += 1 }
        }
        return count
    }

    /// Writes 1 for each pixel that may not be used and 0 for all others, row by row.
    package func writeMask(to output: UnsafeMutablePointer<UInt8>) {
        for row in 0..<rect.height {
            for column in 0..<rect.width {
                output[row * rect.width + column] = isMasked(row * stride + column) ? 1 : 0
            }
        }
    }

    /// True where the pixel at an offset may not be used.
    func isMasked(_ offset: Int) -> Bool {
        if !pixels[offset].isFinite { return true }
        if let mask, mask[offset] != 0 { return true }
        if let weights, !(weights[offset] > 0 && weights[offset].isFinite) { return true }
        return false
    }
}
