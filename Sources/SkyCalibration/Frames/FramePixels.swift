internal import CCalibration
package import CNumbers
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
    /// The median of the pixels, if it was asked for and takes no more than one reading for it and the checksum.
    let median: Double?
    private let source: Source

    private enum Source {
        case image(FITSImage)
        /// Of plain numbers, which several threads read side by side.
        case stored(StoredSamples)
        /// Of a file that is compressed as a whole, which is not kept in memory.
        case spool(PixelSpool)
    }

    /// Opens an image of a frame.
    /// - Throws: ``ImageError``, ``OutputError`` if temporary files cannot be written.
    package convenience init(_ location: ImageLocation) throws { try self.init(location, findsMedian: false) }

    /// Opens an image of a frame, and finds its median; see ``median``.
    /// - Throws: ``ImageError``, ``OutputError`` if temporary files cannot be written.
    init(_ location: ImageLocation, findsMedian: Bool) throws {
        let image = try FITSImage(location)
        (self.location, width, height) = (location, image.width, image.height)
        cards = ImageCards(header: image.header, primary: image.primary, holdsIntegers: image.bitpix > 0)
        primary = image.primary
        let bytes = try image.stored.opened()
        let number: UInt64
        // The checksum of a plane is that of its whole cube, which would have to be kept.
        if findsMedian, image.plane == nil, !image.stored.isCompressedFile, let scale = image.plainShorts {
            (number, median) = try Self.checksumAndMedian(of: image, scale, in: bytes)
        } else {
            (number, median) = (try bytes.checksum {}, nil)
        }
        let digits = String(number, radix: 16)
        checksum = String(repeating: "0", count: 16 - digits.count) + digits
        if image.stored.isCompressedFile {
            source = .spool(try Self.spooled(image))
        } else if let samples = StoredSamples(image, in: bytes), samples.hasPlainNumbers {
            source = .stored(samples)
        } else {
            source = .image(image)
        }
    }

    private static func checksumAndMedian(
        of image: FITSImage, _ scale: skyfarm_short_scale, in bytes: StoredBytes
    ) throws -> (UInt64, Double?) {
        let range = try bytes.range()
        guard range.lowerBound <= image.data.lowerBound, image.data.upperBound <= range.upperBound else {
            throw bytes.unreadable
        }
        let memory = LargeMemory.allocate(byteCount: range.count)
        defer { LargeMemory.deallocate(memory) }
        let checksum = try bytes.checksum(of: range, keeping: memory) {}
        let stored = memory.baseAddress.map { UnsafeRawPointer($0) + image.data.lowerBound - range.lowerBound }
        let samples = skyfarm_samples(floats: nil, shorts: stored, scale: scale)
        return (checksum, StoredShorts(samples, count: image.width * image.height)?.median)
    }

    private static func spooled(_ image: FITSImage) throws -> PixelSpool {
        let spool = try PixelSpool()
        try image.readStrips { try spool.write($1, at: $0 * image.width) }
        return spool
    }

    /// How integers of 16 bits become pixels, if the frame stores nothing but these, so that ``readStored(rows:into:)``
    /// reads them; nil otherwise.
    package var shorts: skyfarm_short_scale? {
        if case .stored(let samples) = source { samples.image.plainShorts } else { nil }
    }

    /// Reads full-width rows of integers as they are stored; see ``shorts``.
    /// - Throws: ``ImageError``.
    package func readStored(rows: Range<Int>, into bytes: UnsafeMutableRawBufferPointer) throws {
        if case .stored(let samples) = source { try samples.readStored(rows: rows, into: bytes) }
    }

    /// Asks the system to read rows ahead, if they are not in memory. Does not wait.
    package func expect(rows: Range<Int>) {
        if case .stored(let samples) = source { samples.expect(PixelRect(x: 0..<width, y: rows)) }
    }

    /// Reads full-width rows; blank samples become NaN.
    /// - Throws: ``ImageError``, ``OutputError``.
    package func read(rows: Range<Int>, into pixels: UnsafeMutableBufferPointer<Float>) throws {
        let target = UnsafeMutableBufferPointer(rebasing: pixels.prefix(rows.count * width))
        switch source {
        case .image(let image): try image.read(rows: rows, into: target)
        case .stored(let samples): try samples.readPixels(PixelRect(x: 0..<width, y: rows), into: target)
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
