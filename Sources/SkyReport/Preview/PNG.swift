internal import CPNG

/// A failure of libpng to write a file.
public struct PNGError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The message of libpng.
    public let description: String
}

/// Encoder of files in the Portable Network Graphics format, with libpng.
package enum PNG {
    /// Encodes a grey image of 8 bits per pixel; `shades` begin with the bottom row.
    package static func encode(grey shades: [UInt8], width: Int, height: Int) throws(PNGError) -> [UInt8] {
        precondition(width > 0 && height > 0 && shades.count == width * height, "an image has pixels")
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        (image.width, image.height) = (png_uint_32(width), png_uint_32(height))
        image.format = png_uint_32(PNG_FORMAT_GRAY)
        // More than incompressible pixels need: a filter byte per row, and the overhead of blocks and chunks.
        var count = shades.count + height + shades.count / 256 + 4096
        var bytes = [UInt8](repeating: 0, count: count)
        // With a negative stride, the last row in memory is the top of the image.
        guard png_image_write_to_memory(&image, &bytes, &count, 0, shades, png_int_32(-width), nil) != 0 else {
            let words = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            throw PNGError(description: "cannot encode the preview: \(words)")
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
