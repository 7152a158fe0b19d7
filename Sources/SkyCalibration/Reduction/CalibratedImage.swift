internal import Foundation
package import SkyFITS

/// An image of a frame that is calibrated as it is read: the pixels of any window are those that ``CalibratedFile`` would
/// write.
///
/// Windows are read by any number of threads. Cosmic rays are searched in the whole image, once, unless it is read as a
/// whole.
package final class CalibratedImage: @unchecked Sendable {
    // Unchecked: the lock is held where `cleaned` is used.
    package let reduction: FrameReduction
    /// The masters that are applied, by their roles.
    package let masterImages: [MasterImage]
    private let plannedMasters: [MasterImages.Role: MasterImage]
    private let masters: MasterImages
    private let oldMask: RawMask?
    /// The search for cosmic rays that is left to others; nil if there is none.
    package let openSearch: CosmicRayParameters?
    private let lock = NSLock()
    /// The pixels of the whole image, in which cosmic rays were searched.
    private var cleaned: PixelSpool?
    /// The header that the image would have in the file of the calibrated frame, but for the number of cosmic rays.
    package let header: FITSHeader

    /// Prepares the calibration of an image.
    /// - Parameters:
    ///   - image: the raw image.
    ///   - calibration: the recipe with its masters.
    ///   - place: the place of the image in its frame.
    ///   - leavesRays: whether cosmic rays stay in its pixels, since others search them.
    /// - Throws: ``ScanSetupError`` if the frame lacks a card or does not fit a master; ``ImageError``, ``OutputError``.
    package init(
        _ image: FITSImage, _ calibration: FrameCalibration, at place: ImagePlace, leavesRays: Bool = false
    ) throws {
        masters = calibration.masters
        let plan = try ReductionPlan(RawFrame(image), calibration.recipe, masters, at: place)
        plannedMasters = plan.images
        masterImages = MasterImages.Role.allCases.compactMap { plan.images[$0] }
        var reduction = try FrameReduction(plan) { rect, target in
            try image.read(rows: rect.y, columns: rect.x, into: target)
        }
        openSearch = leavesRays ? reduction.steps.rays : nil
        if leavesRays { reduction.steps.rays = nil }
        self.reduction = reduction
        oldMask = try RawMask(
            after: ImageExtension(number: image.hduNumber, name: image.extensionName, plane: image.plane),
            in: image.location.path, width: image.width, height: image.height)
        header = try CalibratedHeader(plan).header(
            width: plan.trim.width, height: plan.trim.height, isExtension: image.hduNumber > 0)
    }

    /// Whether another process can calibrate the image, given its samples and masters.
    package var isPortable: Bool { oldMask == nil }

    /// The master of a role; nil if there is none.
    package func master(_ role: MasterImages.Role) -> MasterImage? { plannedMasters[role] }

    package var width: Int { reduction.steps.kept.width }
    package var height: Int { reduction.steps.kept.height }

    /// Makes the pixels of a window.
    /// - Parameters:
    ///   - window: within the calibrated image.
    ///   - pixels: room for them.
    ///   - bits: room for the bits of their mask, if they are needed; not while cosmic rays are searched here.
    ///   - isCut: whether samples may be read in strips, each once; otherwise they are read at once.
    ///   - read: reads samples of the raw image.
    /// - Throws: ``ScanSetupError``, ``OutputError``; errors of `read`.
    package func read(
        _ window: PixelRect, into pixels: UnsafeMutableBufferPointer<Float>,
        bits: UnsafeMutableBufferPointer<UInt8>? = nil, isCut: Bool, from read: RawReader
    ) throws {
        precondition(pixels.count >= window.area && bits.map { $0.count >= window.area } ?? true, "no room")
        guard !window.isEmpty, let target = pixels.baseAddress else { return }
        guard reduction.steps.rays != nil else {
            return try reduce(window, into: target, bits: bits?.baseAddress, isCut: isCut, read)
        }
        precondition(bits == nil, "the bits of a search for cosmic rays")
        if window == reduction.steps.whole, !lock.withLock({ cleaned != nil }) {
            let output = try clean(isCut: isCut, Slots(1), read)
            output.pixels.withUnsafeBufferPointer { _ = pixels.update(fromContentsOf: $0) }
            return
        }
        // The others wait for the thread that searches first.
        let spool = try lock.withLock {
            if let cleaned { return cleaned }
            let output = try clean(isCut: isCut, Slots(ProcessInfo.processInfo.activeProcessorCount), read)
            let spool = try PixelSpool()
            try output.pixels.withUnsafeBufferPointer { try spool.write($0, at: 0) }
            cleaned = spool
            return spool
        }
        for (index, row) in window.y.enumerated() {
            let target = UnsafeMutableBufferPointer(start: target + index * window.width, count: window.width)
            try spool.read(target, at: row * width + window.x.lowerBound)
        }
    }

    /// Checks that nobody has written to a master since it was opened.
    /// - Throws: ``ImageError`` with `changed`.
    package func requireUnchanged() throws(ImageError) { try masters.requireUnchanged() }

    private func clean(isCut: Bool, _ slots: Slots, _ read: RawReader) throws -> ImageCalibration.Output {
        let calibration = ImageCalibration(reduction, oldMask: oldMask, slots: slots)
        guard isCut else {
            let raw = reduction.steps.rawWindow(of: reduction.steps.whole)
            let samples = try FrameReduction.samples(raw, read)
            return try samples.withUnsafeBufferPointer { samples in
                try calibration.calibrate { _, body in try body(RawWindow(raw, samples)) }
            }
        }
        var samples: [Float] = []
        return try calibration.calibrate { rect, body in try Self.withSamples(of: rect, &samples, read, body) }
    }

    private func reduce(
        _ window: PixelRect, into target: UnsafeMutablePointer<Float>, bits: UnsafeMutablePointer<UInt8>?, isCut: Bool,
        _ read: RawReader
    ) throws {
        let step = isCut ? max(1, ImageCalibration.stripArea / window.width) : window.height
        // One buffer for all strips stays in the processor's cache.
        var samples: [Float] = []
        var own = [UInt8](repeating: 0, count: bits == nil ? min(step, window.height) * window.width : 0)
        for first in stride(from: window.y.lowerBound, to: window.y.upperBound, by: step) {
            let strip = PixelRect(x: window.x, y: first..<min(first + step, window.y.upperBound))
            let place = (first - window.y.lowerBound) * window.width
            try Self.withSamples(of: reduction.steps.rawWindow(of: strip), &samples, read) { raw in
                try own.withUnsafeMutableBufferPointer { own in
                    guard let mask = bits.map({ $0 + place }) ?? own.baseAddress else { return }
                    if let oldMask {
                        oldMask.copy(strip, of: reduction.steps, into: mask)
                    } else {
                        mask.update(repeating: 0, count: strip.area)
                    }
                    try reduction.reduce(strip, raw, into: target + place, mask: mask)
                }
            }
        }
    }

    private static func withSamples(
        of rect: PixelRect, _ samples: inout [Float], _ read: RawReader, _ body: (RawWindow) throws -> Void
    ) throws {
        if samples.count < rect.area { samples = [Float](repeating: 0, count: rect.area) }
        try samples.withUnsafeMutableBufferPointer { samples in
            let samples = UnsafeMutableBufferPointer(rebasing: samples.prefix(rect.area))
            try read(rect, samples)
            try body(RawWindow(rect, UnsafeBufferPointer(samples)))
        }
    }
}

/// A recipe, and its masters, which all frames of a job share.
package struct FrameCalibration: Sendable {
    package let recipe: CalibrationRecipe
    package let masters: MasterImages

    /// Finds the masters of a recipe.
    /// - Throws: ``ImageError``.
    package init(_ recipe: CalibrationRecipe) throws(ImageError) { self.init(recipe, try MasterImages(recipe)) }

    /// A recipe with its masters.
    package init(_ recipe: CalibrationRecipe, _ masters: MasterImages) {
        (self.recipe, self.masters) = (recipe, masters)
    }
}
