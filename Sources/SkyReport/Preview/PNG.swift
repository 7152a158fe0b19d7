internal import CZlib

/// Encoder of files in the Portable Network Graphics format.
package enum PNG {
    /// Encodes a grey image of 8 bits per pixel; `shades` begin with the bottom row. Rows are not filtered, since the
    /// differences of noise are larger than noise.
    package static func encode(grey shades: [UInt8], width: Int, height: Int) -> [UInt8] {
        encode(shades, palette: nil, width: width, height: height)
    }

    /// Encodes an image of numbers of colours, as ``encode(grey:width:height:)`` does. `palette` has red, green and blue
    /// of each colour; without one the numbers are shades of grey.
    package static func encode(_ numbers: [UInt8], palette: [UInt8]?, width: Int, height: Int) -> [UInt8] {
        precondition(width > 0 && height > 0 && numbers.count == width * height, "an image has pixels")
        var rows: [UInt8] = []
        rows.reserveCapacity(numbers.count + height)
        for row in (0..<height).reversed() {
            // The number of the filter: none.
            rows.append(0)
            rows += numbers[row * width..<(row + 1) * width]
        }
        let content = RunDeflate.compress(rows)
        var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        file.reserveCapacity(content.count + 1024)
        // Depth of 8 bits, grey or a palette, and the only method of compression, of filters and of order.
        let type: UInt8 = palette == nil ? 0 : 3
        append("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, type, 0, 0, 0], to: &file)
        if let palette { append("PLTE", palette, to: &file) }
        append("IDAT", content, to: &file)
        append("IEND", [], to: &file)
        return file
    }

    private static func append(_ type: String, _ content: [UInt8], to file: inout [UInt8]) {
        let type = Array(type.utf8)
        file += bigEndian(UInt32(content.count)) + type
        file += content
        var sum = crc32(0, type, UInt32(type.count))
        // zlib returns the initial sum for no bytes.
        if !content.isEmpty { sum = crc32(sum, content, UInt32(content.count)) }
        file += bigEndian(UInt32(truncatingIfNeeded: sum))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init)
    }
}
