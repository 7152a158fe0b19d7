package import SkyFITS

/// Calibrates a whole image of a frame.
package struct ImageCalibration {
    /// A calibrated image, and what was found in it.
    package struct Output {
        package var pixels: [Float]
        var mask: [UInt8]
        var rayCount: Int?
    }

    private let reduction: FrameReduction
    /// The mask of the raw image, if it has one.
    private let oldMask: RawMask?
    /// Threads of the search for cosmic rays.
    private let slots: Slots
    /// The cosmic rays, if they were searched before.
    private let rays: FoundRays?

    package init(
        _ reduction: FrameReduction, oldMask: RawMask? = nil, slots: Slots = Slots(1), rays: FoundRays? = nil
    ) {
        (self.reduction, self.oldMask, self.slots, self.rays) = (reduction, oldMask, slots, rays)
    }

    /// Calibrates the image.
    /// - Parameter withRaw: calls the closure with the raw samples of a window, or of more.
    /// - Returns: the calibrated pixels with their mask.
    /// - Throws: ``ScanSetupError`` if a row has no overscan; errors of `withRaw`.
    package func calibrate(
        withRaw: (PixelRect, (RawWindow) throws -> Void) throws -> Void
    ) throws -> Output {
        let whole = reduction.steps.whole
        var output = Output(
            pixels: [Float](repeating: 0, count: whole.area), mask: [UInt8](repeating: 0, count: whole.area))
        oldMask?.copy(whole, of: reduction.steps, into: &output.mask)
        try output.pixels.withUnsafeMutableBufferPointer { pixels in
            try output.mask.withUnsafeMutableBufferPointer { mask in
                guard let pixels = pixels.baseAddress, let mask = mask.baseAddress else { return }
                let step = max(1, Self.stripArea / max(1, whole.width))
                for first in stride(from: 0, to: whole.height, by: step) {
                    let strip = PixelRect(x: whole.x, y: first..<min(first + step, whole.height))
                    try withRaw(reduction.steps.rawWindow(of: strip)) { raw in
                        try reduction.reduce(
                            strip, raw, into: pixels + first * whole.width, mask: mask + first * whole.width)
                    }
                }
            }
        }
        removeRays(from: &output)
        return output
    }

    /// Pixels that are reduced at a time, so that they stay in the processor's cache.
    static let stripArea = 1 << 17

    private func removeRays(from output: inout Output) {
        let steps = reduction.steps
        guard let parameters = steps.rays else { return }
        let search = CosmicRaySearch(
            parameters, width: steps.kept.width, height: steps.kept.height, slots: slots)
        let rays =
            self.rays ?? search.rays(output.pixels, bits: output.mask, in: 0..<steps.kept.height, nil)
        for (pixel, value) in zip(rays.pixels, rays.values) {
            output.mask[pixel] |= MaskBits.cosmicRay.rawValue
            output.pixels[pixel] = steps.masksRays ? .nan : value
        }
        output.rayCount = rays.pixels.count
    }
}

/// The mask that an earlier calibration has written after an image.
package struct RawMask: Sendable {
    private let bits: [UInt8]
    private let width: Int

    /// The mask of an image of the file at `path`, of these sides; nil if there is none.
    /// - Throws: ``ScanSetupError`` for a mask of another size, ``ImageError`` for one that cannot be read.
    init?(after image: ImageExtension, in path: String, width: Int, height: Int) throws {
        let location = ImageLocation(path: path, selector: .number(image.number + 1))
        guard image.plane == nil, let mask = try? FITSImage(location),
            mask.header.text(HDU.companionKeyword) == CalibrationCards.maskRole
        else { return nil }
        guard mask.width == width, mask.height == height else {
            throw ScanSetupError(
                "\(location): the mask is \(mask.width) by \(mask.height) pixels, its image \(width) by \(height); "
                    + "write the frame again")
        }
        var pixels = [Float](repeating: 0, count: width * height)
        try pixels.withUnsafeMutableBufferPointer { try mask.read(rows: 0..<height, into: $0) }
        (bits, self.width) = (pixels.map { (0...255).contains($0) ? UInt8($0) : 0 }, width)
    }

    /// Copies the bits of a window of the reduced image.
    func copy(_ window: PixelRect, of steps: ReductionSteps, into mask: UnsafeMutablePointer<UInt8>) {
        for (index, row) in window.y.enumerated() {
            let from = (row + steps.kept.y.lowerBound) * width + steps.kept.x.lowerBound + window.x.lowerBound
            for column in 0..<window.width { mask[index * window.width + column] = bits[from + column] }
        }
    }
}
