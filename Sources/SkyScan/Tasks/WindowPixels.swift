package import ScanCluster
package import SkyExtraction
package import SkyFITS

/// The layout of the bulk bytes of a window: samples, then weights if there are any, then the mask if there is one.
///
/// Samples and weights are little-endian 32-bit floats; the mask has one byte per pixel, not 0 where it is masked, or else
/// the bits of the mask of a calibration. All are stored row by row over ``rect``.
package struct WindowPixels: Codable, Hashable, Sendable {
    /// The window, in pixels of the image.
    package var rect: PixelRect
    /// Whether weights follow the samples.
    package var hasWeights: Bool
    /// Whether a mask comes last.
    package var hasMask: Bool

    package init(rect: PixelRect, hasWeights: Bool, hasMask: Bool) {
        (self.rect, self.hasWeights, self.hasMask) = (rect, hasWeights, hasMask)
    }

    /// Number of bytes.
    package var byteCount: Int { weightsEnd + (hasMask ? rect.area : 0) }

    private var samplesEnd: Int { rect.area * MemoryLayout<Float>.stride }
    private var weightsEnd: Int { hasWeights ? 2 * samplesEnd : samplesEnd }

    /// The three parts in the bytes of a window.
    package struct Parts {
        package var samples: UnsafeMutableBufferPointer<Float>
        package var weights: UnsafeMutableBufferPointer<Float>?
        package var mask: UnsafeMutableRawBufferPointer?

        /// The mask as the bits of a calibration's.
        var bits: UnsafeMutableBufferPointer<UInt8>? { mask?.bindMemory(to: UInt8.self) }
    }

    /// Places of the three parts in `bytes`.
    package func split(_ bytes: UnsafeMutableRawBufferPointer) -> Parts {
        Parts(
            samples: UnsafeMutableRawBufferPointer(rebasing: bytes[..<samplesEnd]).bindMemory(to: Float.self),
            weights: hasWeights
                ? UnsafeMutableRawBufferPointer(rebasing: bytes[samplesEnd..<weightsEnd]).bindMemory(to: Float.self)
                : nil,
            mask: hasMask ? UnsafeMutableRawBufferPointer(rebasing: bytes[weightsEnd..<byteCount]) : nil)
    }

    /// Lets `read` read the samples of a mask, and marks in `target` those that are not 0.
    /// - Throws: what `read` throws.
    func readMask(
        into target: UnsafeMutableRawBufferPointer, _ read: (UnsafeMutableBufferPointer<Float>) throws -> Void
    ) throws {
        let values = UnsafeMutableBufferPointer<Float>.allocate(capacity: target.count)
        defer { values.deallocate() }
        try read(values)
        for index in target.indices { target[index] = values[index] == 0 ? 0 : 1 }
    }

    /// Calls `body` with a view of the pixels that came with a task. The scan ends early once the task is cancelled.
    /// - Throws: as ``withView(of:isCancelled:_:)``, and `CancellationError`.
    package func withView<Result>(for context: ScanContext, _ body: (PixelView) throws -> Result) throws -> Result {
        try withView(of: context.takeBulk(), isCancelled: { context.isCancelled }, body)
    }

    /// Calls `body` with a view of the pixels in `bulk`. It may overwrite the samples if there is no other reference.
    /// - Throws: ``ScanSetupError`` if the window is impossible, if there are no bytes or another number of them, and
    ///   what `body` throws.
    package func withView<Result>(
        of bulk: consuming BulkBytes?, isCancelled: @escaping @Sendable () -> Bool = { false },
        _ body: (PixelView) throws -> Result
    ) throws -> Result {
        try rect.validate()
        let count = bulk?.count ?? 0
        guard var bytes = consume bulk, !rect.isEmpty, count == byteCount else {
            throw ScanSetupError("the window \(rect) came with \(count) bytes of pixels")
        }
        return try BulkBytes.withBytes(of: &bytes) { bytes, isOnlyReference in
            let parts = split(bytes)
            var view = try PixelView(
                rect: rect, pixels: UnsafeBufferPointer(parts.samples),
                mask: parts.bits.map { UnsafeBufferPointer($0) },
                weights: parts.weights.map { UnsafeBufferPointer($0) })
            view.isOverwritable = isOnlyReference
            view.isCancelled = isCancelled
            return try body(view)
        }
    }
}
