package import ScanCluster
package import SkyImage

extension ImageReader {
    /// The pixels of a window as the bulk bytes of a task, which nodes that unpack them get in packed form.
    ///
    /// `position` is its place in a pass over all bands, nil for other windows. A node may keep the pixels under `key`,
    /// unless `isLastUse`: no later task has that key.
    nonisolated func source(
        of window: WindowPixels, at position: PassPosition?, key: BulkKey?, isLastUse: Bool
    ) -> BulkSource {
        let reference = reference(to: window)
        let numberSize = MemoryLayout<Float>.size
        if node != nil {
            return BulkSource(
                key: key, isLastUse: isLastUse, reference: reference, byteCount: window.byteCount,
                numberSize: numberSize, isRelayed: true,
                load: { try await self.pixels(of: window) })
        }
        return BulkSource(
            key: key, isLastUse: isLastUse, reference: reference, byteCount: window.byteCount,
            numberSize: numberSize,
            loadPacked: { try await self.read(window, at: position, packing: $0) },
            load: { try await self.read(window, at: position) })
    }

    /// The pixels of the window `rect` as the bulk bytes of a task that is not one of a scan.
    package nonisolated func source(of rect: PixelRect) -> BulkSource {
        source(of: contents(of: rect), at: nil, key: nil, isLastUse: false)
    }
}
