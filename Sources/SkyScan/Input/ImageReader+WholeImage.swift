internal import ScanCluster
internal import SkyFITS

/// The pixels of an image that is scanned as one task, for whoever needs them besides the task.
extension ImageReader {
    /// Has the pixels of the image passed to `take`, on the slot of this process that scans the image as one task. If it is
    /// scanned elsewhere, or by bands, `take` is not called; it is called again if the task is repeated.
    package nonisolated func passPixels(to take: @escaping @Sendable (UnsafeBufferPointer<Float>) -> Void) {
        wholeImage.withLock { $0 = take }
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
