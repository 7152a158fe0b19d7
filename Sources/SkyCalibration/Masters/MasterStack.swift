internal import CCalibration
internal import ScanBasics
internal import SkyFITS

/// Combines frames to a master: image by image, and band by band of the rows of all frames.
///
/// `Docs/Calibration.md` defines the result to the last bit: it depends on the frames and the request, not on bands,
/// slots or memory.
package struct MasterStack {
    private let request: StackRequest
    private let images: [FrameImages]
    private let masters: Masters

    /// What has been done.
    package enum Event {
        /// A frame was read for its level; all have `work` pixels.
        case level(work: Int)
        case band(work: Int)
    }

    /// Examines the files.
    /// - Throws: ``FrameFailures``, ``ScanSetupError``, ``ImageError``.
    package init(_ request: StackRequest) throws {
        self.request = request
        guard request.frames.count <= PixelStack.maximumFrameCount else {
            throw ScanSetupError("\(request.frames.count) frames are too many; combine them in groups")
        }
        images = try OpenStack.successes(
            request.slots.map(0..<request.frames.count) { try FrameImages(request.frames[$0]) })
        masters = try Masters(request)
        let reasons = images.filter { $0.images.count != images[0].images.count }.map {
            "\($0.location): has \($0.images.count) images, not \(images[0].images.count) as \(images[0].location)"
        }
        if !reasons.isEmpty { throw FrameFailures(reasons) }
    }

    /// Writes the master to `path`.
    /// - Parameters:
    ///   - path: its file; with the ending `.fz` it is stored in compressed tiles.
    ///   - overwrite: whether a file of this name may be replaced.
    ///   - onEvent: called from any thread; an error that it throws ends the work.
    /// - Throws: ``FrameFailures``, ``ScanSetupError``, ``ImageError``, ``OutputError``, errors of `onEvent`.
    package func write(to path: String, overwrite: Bool, _ onEvent: (Event) throws -> Void) throws {
        let file = try AtomicFile(path: path, overwrite: overwrite)
        let isCompressed = path.hasSuffix(".fz")
        let writer = try FITSFileWriter(path: path, in: file)
        if images[0].images.first.map({ $0.number > 0 }) == true || isCompressed {
            try writer.addEmptyImage()
            for card in MasterHeader.common(images.map(\.primary)) { try writer.write(card: card) }
        }
        for index in images[0].images.indices {
            let stack = try OpenStack(request, images, masters: masters, index: index)
            try stack.findLevels { _ in try onEvent(.level(work: stack.geometry.width * stack.geometry.height)) }
            try write(stack, index, to: writer, isCompressed: isCompressed, onEvent)
        }
        try writer.finish()
    }

    private func write(
        _ stack: OpenStack, _ index: Int, to writer: FITSFileWriter, isCompressed: Bool,
        _ onEvent: (Event) throws -> Void
    ) throws {
        let (width, height) = (stack.geometry.width, stack.geometry.height)
        try writer.addImage(width: width, height: height, .float32, isCompressed: isCompressed)
        let isNamed = images[0].images[index].ownName != nil
        for card in MasterHeader.common(stack.frames.map(\.cards.header)) {
            // Frames that are divided by their level have no unit.
            let isDropped = request.scale != .none && FITSFileWriter.isUnit(card)
            if !isDropped, isNamed || !card.hasPrefix("EXTNAME ") { try writer.write(card: card) }
        }
        for entry in MasterHeader.provenance(request, stack) { try writer.set(entry) }
        try writer.write(history: "combined by \(request.program)")
        let bands = BandStack(stack, request)
        let spools = try (scatter: PixelSpool(), counts: PixelSpool())
        for first in stride(from: 0, to: height, by: bands.height) {
            let rows = first..<min(first + bands.height, height)
            try writer.write(try bands.combine(rows))
            if bands.measures {
                try bands.scatter.withUnsafeBufferPointer { try spools.scatter.write($0, at: first * width) }
                try bands.counts.map(Float.init).withUnsafeBufferPointer {
                    try spools.counts.write($0, at: first * width)
                }
            }
            try onEvent(.band(work: rows.count * width))
        }
        let image = images[0].images[index]
        let companion = Companion(of: image, width: width, height: height, isCompressed: isCompressed)
        if request.writesCount { try companion.write("COUNT", .int16, spools.counts, to: writer) }
        if request.writesScatter { try companion.write("SCATTER", .float32, spools.scatter, to: writer) }
    }
}

/// Writes an HDU that accompanies an image.
private struct Companion {
    let of: ImageExtension
    let width: Int
    let height: Int
    let isCompressed: Bool

    func write(
        _ role: String, _ type: FITSFileWriter.SampleType, _ spool: PixelSpool, to writer: FITSFileWriter
    ) throws {
        try writer.addImage(width: width, height: height, type, isCompressed: isCompressed)
        try writer.set(HeaderEntry("EXTNAME", .text(of.ownName.map { "\($0)_\(role)" } ?? role)))
        if of.version != 1 { try writer.set(HeaderEntry("EXTVER", .integer(of.version))) }
        try writer.set(HeaderEntry(HDU.companionKeyword, .text(role), comment: "accompanies the image before it"))
        let step = max(1, (1 << 20) / width)
        for first in stride(from: 0, to: height, by: step) {
            let count = (min(first + step, height) - first) * width
            var samples = [Float](repeating: 0, count: count)
            try samples.withUnsafeMutableBufferPointer { try spool.read($0, at: first * width) }
            if type == .int16 {
                try writer.write(samples.map { Int16($0) })
            } else {
                try writer.write(samples)
            }
        }
    }

    init(of image: ImageExtension, width: Int, height: Int, isCompressed: Bool) {
        (of, self.width, self.height, self.isCompressed) = (image, width, height, isCompressed)
    }
}
