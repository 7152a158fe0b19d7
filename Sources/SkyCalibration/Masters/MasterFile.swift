internal import CCalibration
package import SkyFITS

/// A master frame: bias, dark, flat, or a mask, whose images belong to those of the frames in their order.
package struct MasterFile: Sendable {
    private let images: FrameImages
    /// What it is, in messages.
    private let role: String

    /// Finds the images of a master.
    /// - Throws: ``ImageError``.
    package init(_ location: ImageLocation, role: String) throws(ImageError) {
        images = try FrameImages(location)
        self.role = role
    }

    /// Number of its images.
    package var count: Int { images.images.count }

    /// The name of the file.
    package var name: String { images.location.description }

    /// The bytes of its first image, by which a change of the file is noticed.
    /// - Throws: ``ImageError``.
    func stored() throws(ImageError) -> StoredImage { try FITSImage(images.location(of: 0)).stored }

    /// Checksums of the stored bytes of its images.
    /// - Throws: ``ImageError``.
    func checksums() throws -> [UInt64] {
        try images.images.indices.map { try FITSImage(images.location(of: $0)).stored.checksum() }
    }

    /// Opens the image that belongs to an image of the frames: if the master has several, that in the same place of the
    /// file.
    /// - Throws: ``ScanSetupError`` if there is none; ``ImageError``.
    package func pixels(at place: ImagePlace) throws -> FramePixels {
        let index = count > 1 ? place.inFile : place.index
        guard index < count else {
            throw ScanSetupError(
                "\(name): the \(role) has \(count) images, and the frames have more; name a \(role) of such frames")
        }
        return try FramePixels(images.location(of: index))
    }

    /// Opens the image that belongs to an image of the frames, whose size and binning it must have.
    /// - Throws: ``ScanSetupError`` if there is none; ``ImageError``.
    package func pixels(at place: ImagePlace, for geometry: FrameGeometry) throws -> FramePixels {
        let pixels = try pixels(at: place)
        let own = FrameGeometry(width: pixels.width, height: pixels.height, cards: pixels.cards)
        if let difference = geometry.difference(of: own) {
            throw ScanSetupError("\(pixels.location): the \(role) \(difference) as the frames; name one of such frames")
        }
        return pixels
    }
}

/// The masters of a stack.
struct Masters {
    var bias: MasterFile?
    var dark: MasterFile?

    init(_ request: StackRequest) throws(ImageError) {
        if let location = request.bias { bias = try MasterFile(location, role: "bias") }
        if let location = request.dark { dark = try MasterFile(location, role: "dark") }
    }
}

/// All samples of bias and dark, for the levels of frames.
final class MasterSamples: @unchecked Sendable {
    // Unchecked: the memory is written in the initialiser only.
    private let bias: UnsafeMutableBufferPointer<Float>?
    private let dark: UnsafeMutableBufferPointer<Float>?

    init(bias: FramePixels?, dark: FramePixels?) throws {
        self.bias = try bias.map(Self.samples)
        self.dark = try dark.map(Self.samples)
    }

    deinit {
        bias?.deallocate()
        dark?.deallocate()
    }

    private static func samples(_ frame: FramePixels) throws -> UnsafeMutableBufferPointer<Float> {
        let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: frame.width * frame.height)
        do {
            try frame.read(rows: 0..<frame.height, into: samples)
        } catch {
            samples.deallocate()
            throw error
        }
        return samples
    }

    /// The correction of a frame; valid while this object is.
    func correction(darkFactor: Double, divisor: Double) -> skyfarm_correction {
        skyfarm_correction(
            bias: bias?.baseAddress.map { UnsafePointer($0) }, dark: dark?.baseAddress.map { UnsafePointer($0) },
            dark_factor: darkFactor, divisor: divisor)
    }
}
