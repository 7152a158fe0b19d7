internal import ScanBasics
package import SkyFITS

/// The pixels of one image of a frame, as 32-bit floats; read by one thread at a time.
package final class FramePixels {
    /// The frame and its image, as in messages.
    package let location: ImageLocation
    package let width: Int
    package let height: Int
    /// The image's own cards, and those of its primary header.
    package let cards: ImageCards
    package let primary: FITSHeader
    /// Checksum of the stored bytes of the image, in hexadecimal digits.
    package let checksum: String
    private let source: Source

    private enum Source {
        case image(FITSImage)
        /// Of a file that is compressed as a whole, which is not kept in memory.
        case spool(PixelSpool)
    }

    /// Opens an image of a frame.
    /// - Throws: ``ImageError``, ``OutputError`` if temporary files cannot be written.
    package init(_ location: ImageLocation) throws {
        let image = try FITSImage(location)
        (self.location, width, height) = (location, image.width, image.height)
        cards = ImageCards(header: image.header, primary: image.primary, holdsIntegers: image.bitpix > 0)
        primary = image.primary
        let digits = String(try image.stored.checksum(), radix: 16)
        checksum = String(repeating: "0", count: 16 - digits.count) + digits
        source = image.stored.isCompressedFile ? .spool(try Self.spooled(image)) : .image(image)
    }

    private static func spooled(_ image: FITSImage) throws -> PixelSpool {
        let spool = try PixelSpool()
        let step = max(1, (1 << 20) / image.width)
        let strip = UnsafeMutableBufferPointer<Float>.allocate(capacity: step * image.width)
        defer { strip.deallocate() }
        for first in stride(from: 0, to: image.height, by: step) {
            let rows = first..<min(first + step, image.height)
            try image.read(rows: rows, into: strip)
            try spool.write(
                UnsafeBufferPointer(rebasing: strip.prefix(rows.count * image.width)), at: first * image.width)
        }
        return spool
    }

    /// Reads full-width rows; blank samples become NaN.
    /// - Throws: ``ImageError``, ``OutputError``.
    package func read(rows: Range<Int>, into pixels: UnsafeMutableBufferPointer<Float>) throws {
        let target = UnsafeMutableBufferPointer(rebasing: pixels.prefix(rows.count * width))
        switch source {
        case .image(let image): try image.read(rows: rows, into: target)
        case .spool(let spool): try spool.read(target, at: rows.lowerBound * width)
        }
    }

    /// Reads all pixels.
    /// - Throws: ``ImageError``, ``OutputError``.
    package func readAll() throws -> [Float] {
        try [Float](unsafeUninitializedCapacity: width * height) { buffer, count in
            try read(rows: 0..<height, into: UnsafeMutableBufferPointer(rebasing: buffer.prefix(width * height)))
            count = width * height
        }
    }
}
