internal import Foundation
internal import ScanBasics
package import SkyFITS

/// Calibrates a frame and writes it: its images, each followed by its mask, and its other HDUs as they are.
package struct CalibratedFile: Sendable {
    private let recipe: CalibrationRecipe
    private let masters: MasterImages

    /// What was found in a frame.
    package struct Summary: Equatable, Sendable {
        package var images = 0
        package var pixels = 0
        /// Number of pixels of cosmic rays; nil unless they were searched.
        package var rays: Int?
        /// Number of pixels without a value.
        package var masked = 0
        /// The median of the raw samples of each image where they are kept; nil if none is a number.
        package var rawLevels: [Double?] = []
    }

    package init(_ recipe: CalibrationRecipe, _ masters: MasterImages) {
        (self.recipe, self.masters) = (recipe, masters)
    }

    /// Calibrates a frame.
    /// - Parameters:
    ///   - frame: the raw frame; if an image of it is selected, that is the only one.
    ///   - path: the file for the result.
    ///   - overwrite: whether it may replace another.
    ///   - isCompressed: whether images are stored in compressed tiles.
    ///   - rays: the cosmic rays of each image, if they were searched before.
    ///   - check: called before each image and before the file appears; an error that it throws ends the work.
    /// - Returns: what was found in the frame.
    /// - Throws: ``ImageError``, ``ScanSetupError``, ``OutputError``, errors of `check`.
    package func write(
        _ frame: ImageLocation, to path: String, overwrite: Bool, isCompressed: Bool, rays: [FoundRays]? = nil,
        check: () throws -> Void = {}
    ) throws -> Summary {
        let images = try FrameImages(frame)
        if let rays, rays.count != images.images.count { throw Self.changed(frame) }
        let writer = try FITSFileWriter(path: path, in: AtomicFile(path: path, overwrite: overwrite))
        var summary = Summary()
        let source = try FITSFile(path: frame.path)
        let isWhole = frame.selector == .firstImage
        // Images in the order of their HDUs, and what is between them.
        var number = 0
        for (index, image) in images.images.enumerated() {
            try check()
            // The planes of a cube are images of one HDU.
            if isWhole, number < image.number {
                try copyOthers(source, number..<image.number, images.primary, to: writer)
            }
            if image.number > 0 || isCompressed, !writer.hasHDU { try addPrimary(images.primary, to: writer) }
            try write(images, index, rays?[index], to: writer, isCompressed: isCompressed, &summary)
            number = image.number + 1
        }
        if isWhole { try copyOthers(source, number..<Int(Int32.max) - 2, images.primary, to: writer) }
        try check()
        try writer.finish()
        return summary
    }

    /// Copies HDUs that hold no image of the sky, up to the end of the file.
    private func copyOthers(
        _ source: FITSFile, _ numbers: Range<Int>, _ primary: FITSHeader, to writer: FITSFileWriter
    ) throws {
        for number in numbers {
            guard let hdu = try FITSLibrary.run({ () throws(ImageError) in try source.move(to: number) }) else {
                return
            }
            if hdu.isCompanion { continue }
            if number == 0, case .empty = hdu.content {
                try addPrimary(primary, to: writer)
            } else if hdu.planes(.colours).isEmpty {
                try writer.add(currentHDUOf: source)
            }
        }
    }

    private func addPrimary(_ header: FITSHeader, to writer: FITSFileWriter) throws(OutputError) {
        try writer.addEmptyImage()
        for index in 0..<header.count where !FITSFileWriter.isStructural(header[index]) {
            try writer.write(card: header[index])
        }
    }

    private func write(
        _ images: FrameImages, _ index: Int, _ rays: FoundRays?, to writer: FITSFileWriter, isCompressed: Bool,
        _ summary: inout Summary
    ) throws {
        let frame = try FramePixels(images.location(of: index))
        let image = images.images[index]
        let plan = try ReductionPlan(frame.frame, recipe, masters, at: images.place(of: index))
        let size = plan.trim.width * plan.trim.height
        if let last = rays?.pixels.last, last >= size { throw Self.changed(images.location) }
        let (output, level) = try calibrate(
            frame, plan,
            RawMask(after: image, in: images.location.path, width: frame.width, height: frame.height), rays)
        summary.rawLevels.append(level)
        let (width, height) = (plan.trim.width, plan.trim.height)
        try writer.addImage(width: width, height: height, .float32, isCompressed: isCompressed)
        let cards = CalibratedHeader(plan)
        for card in cards.kept { try writer.write(card: card) }
        for entry in cards.entries + (output.rayCount.map { [CalibrationCards.rays($0)] } ?? []) {
            try writer.set(entry)
        }
        try writer.write(history: cards.history)
        try writer.write(output.pixels)
        try writer.addImage(width: width, height: height, .uint8, isCompressed: isCompressed)
        try writer.set(HeaderEntry("EXTNAME", .text(image.ownName.map { "\($0)_MASK" } ?? "MASK")))
        if image.version != 1 { try writer.set(HeaderEntry("EXTVER", .integer(image.version))) }
        for entry in CalibrationCards.maskEntries { try writer.set(entry) }
        try writer.write(output.mask)
        summary.images += 1
        summary.pixels += width * height
        if let count = output.rayCount { summary.rays = (summary.rays ?? 0) + count }
        summary.masked += output.pixels.reduce(0) { $1.isNaN ? $0 + 1 : $0 }
    }

    private static func changed(_ frame: ImageLocation) -> ImageError {
        ImageError(.changed, "\(frame): was changed while it was calibrated")
    }

    private func calibrate(
        _ frame: FramePixels, _ plan: ReductionPlan, _ oldMask: RawMask?, _ rays: FoundRays?
    ) throws -> (ImageCalibration.Output, level: Double?) {
        let raw = try frame.readAll()
        return try raw.withUnsafeBufferPointer { samples in
            let level = Self.level(samples, plan.trim, width: frame.width)
            let window = RawWindow(PixelRect(x: 0..<frame.width, y: 0..<frame.height), samples)
            let reduction = try FrameReduction(plan) { rect, target in window.copy(rect, to: target) }
            let calibration = ImageCalibration(reduction, oldMask: oldMask, rays: rays)
            return (try calibration.calibrate { _, body in try body(window) }, level)
        }
    }

    /// Number of samples from which the level of a raw image is found.
    private static let levelCount = 1 << 13

    /// The median of samples that are evenly spread over a section.
    private static func level(_ samples: UnsafeBufferPointer<Float>, _ section: PixelSection, width: Int) -> Double? {
        let size = section.width * section.height
        // An odd step, so that the samples are not all of a few columns.
        let step = max(1, size / levelCount) | 1
        return FrameLevel.median.of(count: (size + step - 1) / step) { range, values in
            for index in range {
                let (row, column) = (index * step / section.width, index * step % section.width)
                let value = samples[(section.y.lowerBound + row) * width + section.x.lowerBound + column]
                values[index - range.lowerBound] = value.isFinite ? Double(value) : .infinity
            }
        }
    }
}
