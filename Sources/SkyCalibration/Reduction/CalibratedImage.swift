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
    /// - Throws: ``ScanSetupError`` if the frame lacks a card or does not fit a master; ``ImageError``, ``OutputError``.
    package init(_ image: FITSImage, _ calibration: FrameCalibration, at place: ImagePlace) throws {
        masters = calibration.masters
        let plan = try ReductionPlan(RawFrame(image), calibration.recipe, masters, at: place)
        plannedMasters = plan.images
        masterImages = MasterImages.Role.allCases.compactMap { plan.images[$0] }
        reduction = try FrameReduction(plan) { rect, target in
            try image.read(rows: rect.y, columns: rect.x, into: target)
        }
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
    ///   - isCut: whether samples may be read in strips, each once; otherwise they are read at once.
    ///   - read: reads samples of the raw image.
    /// - Throws: ``ScanSetupError``, ``OutputError``; errors of `read`.
    package func read(
        _ window: PixelRect, into pixels: UnsafeMutableBufferPointer<Float>, isCut: Bool, from read: RawReader
    ) throws {
        precondition(pixels.count >= window.area, "no room for the window")
        guard !window.isEmpty, let target = pixels.baseAddress else { return }
        guard reduction.steps.rays != nil else { return try reduce(window, into: target, isCut: isCut, read) }
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
        _ window: PixelRect, into target: UnsafeMutablePointer<Float>, isCut: Bool, _ read: RawReader
    ) throws {
        let step = isCut ? max(1, ImageCalibration.stripArea / window.width) : window.height
        // One buffer for all strips stays in the processor's cache.
        var (samples, mask): ([Float], [UInt8]) = ([], [])
        for first in stride(from: window.y.lowerBound, to: window.y.upperBound, by: step) {
            let strip = PixelRect(x: window.x, y: first..<min(first + step, window.y.upperBound))
            if let oldMask {
                mask = [UInt8](repeating: 0, count: strip.area)
                oldMask.copy(strip, of: reduction.steps, into: &mask)
            } else if mask.count < strip.area {
                mask = [UInt8](repeating: 0, count: strip.area)
            }
            try Self.withSamples(of: reduction.steps.rawWindow(of: strip), &samples, read) { raw in
                try mask.withUnsafeMutableBufferPointer { mask in
                    guard let mask = mask.baseAddress else { return }
                    // Nobody needs the bits: what they mark is NaN, or keeps its value.
                    if oldMask == nil { mask.update(repeating: 0, count: strip.area) }
                    try reduction.reduce(
                        strip, raw, into: target + (first - window.y.lowerBound) * window.width, mask: mask)
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
    package init(_ recipe: CalibrationRecipe) throws(ImageError) {
        self.recipe = recipe
        masters = try MasterImages(recipe)
    }
}
