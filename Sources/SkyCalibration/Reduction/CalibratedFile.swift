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
    ///   - checkCancellation: called before each image; an error that it throws ends the work.
    /// - Returns: what was found in the frame.
    /// - Throws: ``ImageError``, ``ScanSetupError``, ``OutputError``, errors of `checkCancellation`.
    package func write(
        _ frame: ImageLocation, to path: String, overwrite: Bool, isCompressed: Bool,
        checkCancellation: () throws -> Void = {}
    ) throws -> Summary {
        let images = try FrameImages(frame)
        let writer = try FITSFileWriter(path: path, in: AtomicFile(path: path, overwrite: overwrite))
        var summary = Summary()
        let source = try FITSFile(path: frame.path)
        let isWhole = frame.selector == .firstImage
        // Images in the order of their HDUs, and what is between them.
        var number = 0
        for (index, image) in images.images.enumerated() {
            try checkCancellation()
            // The planes of a cube are images of one HDU.
            if isWhole, number < image.number {
                try copyOthers(source, number..<image.number, images.primary, to: writer)
            }
            if image.number > 0 || isCompressed, !writer.hasHDU { try addPrimary(images.primary, to: writer) }
            try write(images, index, to: writer, isCompressed: isCompressed, &summary)
            number = image.number + 1
        }
        if isWhole { try copyOthers(source, number..<Int(Int32.max) - 2, images.primary, to: writer) }
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
        _ images: FrameImages, _ index: Int, to writer: FITSFileWriter, isCompressed: Bool, _ summary: inout Summary
    ) throws {
        let frame = try FramePixels(images.location(of: index))
        let old = Self.mask(of: images, index, width: frame.width, height: frame.height)
        let calibration = ImageCalibration(recipe: recipe, masters: masters, place: images.place(of: index))
        let output = try calibration.calibrate(frame, oldMask: old)
        let (width, height) = (output.section.width, output.section.height)
        try writer.addImage(width: width, height: height, .float32, isCompressed: isCompressed)
        let header = frame.cards.header
        let changes = TrimmedHeader.changes(header, trim: output.section, width: frame.width, height: frame.height)
        for card in 0..<header.count {
            let text = header[card]
            let isDropped = FITSFileWriter.isStructural(text) || changes.removed.contains(header.keyword(at: card))
            if !isDropped { try writer.write(card: text) }
        }
        for entry in changes.entries + CalibrationCards.entries(output, recipe, frame) { try writer.set(entry) }
        if recipe.givesElectrons { try writer.set(HeaderEntry("BUNIT", .text("electron"))) }
        try writer.write(history: "calibrated by \(recipe.program)")
        try writer.write(output.pixels)
        try writer.addImage(width: width, height: height, .uint8, isCompressed: isCompressed)
        let image = images.images[index]
        try writer.set(HeaderEntry("EXTNAME", .text(image.name.map { "\($0)_MASK" } ?? "MASK")))
        if image.version != 1 { try writer.set(HeaderEntry("EXTVER", .integer(image.version))) }
        for entry in CalibrationCards.maskEntries { try writer.set(entry) }
        try writer.write(output.mask)
        summary.images += 1
        summary.pixels += width * height
        if let count = output.rayCount { summary.rays = (summary.rays ?? 0) + count }
        summary.masked += output.pixels.reduce(0) { $1.isNaN ? $0 + 1 : $0 }
    }

    /// The mask that an earlier calibration has written after an image; nil if there is none.
    private static func mask(of images: FrameImages, _ index: Int, width: Int, height: Int) -> [UInt8]? {
        let image = images.images[index]
        let location = ImageLocation(path: images.location.path, selector: .number(image.number + 1))
        guard image.plane == nil, let mask = try? FITSImage(location),
            mask.header.text(HDU.companionKeyword) == CalibrationCards.maskRole, mask.width == width,
            mask.height == height
        else { return nil }
        var pixels = [Float](repeating: 0, count: width * height)
        do {
            try pixels.withUnsafeMutableBufferPointer { try mask.read(rows: 0..<height, into: $0) }
        } catch {
            return nil
        }
        return pixels.map { (0...255).contains($0) ? UInt8($0) : 0 }
    }
}
