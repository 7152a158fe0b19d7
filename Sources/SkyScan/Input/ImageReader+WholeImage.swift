internal import ScanCluster
internal import SkyFITS

/// The pixels of an image that is scanned as one task, for whoever needs them besides the task.
extension ImageReader {
    /// Has the pixels of the image passed to `take`, on the slot of this process that scans the image as one task. If it is
    /// scanned elsewhere, or by bands, `take` is not called; it is called again if the task is repeated.
    package nonisolated func passPixels(to take: @escaping @Sendable (UnsafeBufferPointer<Float>) -> Void) {
        wholeImage.withLock { $0 = take }
    }

    /// Reads whole rows of the image, for a preview.
    /// - Throws: `ImageError` if the samples cannot be read.
    public func read(rows: Range<Int>) async throws -> [Float] {
        guard let files else {
            let window = WindowPixels(
                rect: PixelRect(x: 0..<summary.width, y: rows), hasWeights: false, hasMask: false)
            return try await pixels(of: window).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        }
        let window = PixelRect(x: 0..<summary.width, y: rows)
        return try [Float](unsafeUninitializedCapacity: window.area) { buffer, count in
            try files.readPixels(window, into: buffer)
            count = window.area
        }
    }

    nonisolated func pass(_ bytes: BulkBytes, of window: WindowPixels) {
        guard isWhole(window), let take = wholeImage.withLock(\.self) else { return }
        bytes.withUnsafeBytes { bytes in
            take(UnsafeBufferPointer(rebasing: bytes.bindMemory(to: Float.self)[..<window.rect.area]))
        }
    }

    nonisolated func isWhole(_ window: WindowPixels) -> Bool {
        window.rect.width == summary.width && window.rect.height == summary.height
    }
}
