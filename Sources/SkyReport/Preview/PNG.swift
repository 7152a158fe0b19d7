internal import CZlib

/// A failure of zlib to compress a picture.
public struct PNGError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The cause.
    public let description: String
}

/// Encoder of files in the Portable Network Graphics format.
package enum PNG {
    /// Encodes a grey image of 8 bits per pixel; `shades` begin with the bottom row.
    ///
    /// Rows are not filtered, and only runs of equal pixels are looked for: noise has no other repetitions, and zlib's
    /// usual search for them takes three times as long for a larger file.
    package static func encode(grey shades: [UInt8], width: Int, height: Int) throws(PNGError) -> [UInt8] {
        precondition(width > 0 && height > 0 && shades.count == width * height, "an image has pixels")
        var rows: [UInt8] = []
        rows.reserveCapacity(shades.count + height)
        for row in (0..<height).reversed() {
            // The number of the filter: none.
            rows.append(0)
            rows += shades[row * width..<(row + 1) * width]
        }
        var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        // Depth of 8 bits, grey, and the only method of compression, of filters and of order.
        append("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 0, 0, 0, 0], to: &file)
        append("IDAT", try compress(rows), to: &file)
        append("IEND", [], to: &file)
        return file
    }

    private static func append(_ type: String, _ content: [UInt8], to file: inout [UInt8]) {
        let body = Array(type.utf8) + content
        file += bigEndian(UInt32(content.count)) + body
        file += bigEndian(UInt32(truncatingIfNeeded: crc32(0, body, UInt32(body.count))))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    private static func compress(_ bytes: [UInt8]) throws(PNGError) -> [UInt8] {
        // On the heap, since zlib rejects a stream that has moved.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard
            deflateInit2_(
                stream, 1, Z_DEFLATED, 15, 9, Z_RLE, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw PNGError(description: "cannot encode the preview: not enough memory") }
        defer { deflateEnd(stream) }
        let limit = Int(deflateBound(stream, UInt(bytes.count)))
        var status = Z_OK
        let compressed = [UInt8](unsafeUninitializedCapacity: limit) { output, count in
            bytes.withUnsafeBufferPointer { input in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = UInt32(input.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(limit)
                status = deflate(stream, Z_FINISH)
            }
            count = limit - Int(stream.pointee.avail_out)
        }
        guard status == Z_STREAM_END else { throw PNGError(description: "cannot encode the preview: zlib \(status)") }
        return compressed
    }
}
