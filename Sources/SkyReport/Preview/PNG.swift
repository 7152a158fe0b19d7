internal import CPNG

/// Why libpng could not write a file.
public struct PNGError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The cause.
    public let description: String
}

/// Files in the Portable Network Graphics format, by libpng.
package enum PNG {
    /// A grey image of 8 bits a pixel; `shades` begin with the bottom row.
    package static func encode(grey shades: [UInt8], width: Int, height: Int) throws(PNGError) -> [UInt8] {
        precondition(width > 0 && height > 0 && shades.count == width * height, "an image has pixels")
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        (image.width, image.height) = (png_uint_32(width), png_uint_32(height))
        image.format = png_uint_32(PNG_FORMAT_GRAY)
        // More than incompressible pixels need: a byte per row for the filter, and the overhead of blocks and chunks.
        var count = shades.count + height + shades.count / 256 + 4096
        var bytes = [UInt8](repeating: 0, count: count)
        // A negative stride: the last row of memory is the top of the image.
        guard png_image_write_to_memory(&image, &bytes, &count, 0, shades, png_int_32(-width), nil) != 0 else {
            let words = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            throw PNGError(description: "cannot encode the preview: \(words)")
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
