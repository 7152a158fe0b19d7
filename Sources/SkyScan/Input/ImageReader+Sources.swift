package import ScanCluster
package import SkyFITS

extension ImageReader {
    /// The pixels of a window as the bulk bytes of a task, which nodes that unpack them get in packed form.
    ///
    /// `position` is its place in a pass over all bands, nil for other windows. A node may keep the pixels under `key`,
    /// unless `isLastUse`: no later task has that key.
    package nonisolated func source(
        of window: WindowPixels, at position: PassPosition?, key: BulkKey?, isLastUse: Bool
    ) -> BulkSource {
        let reference = reference(to: window)
        let numberSize = MemoryLayout<Float>.size
        if node != nil {
            return BulkSource(
                key: key, isLastUse: isLastUse, reference: reference, byteCount: window.byteCount,
                numberSize: numberSize, isRelayed: true, isPackable: false,
                loadPacked: { _ in try await self.pixels(of: window) })
        }
        return BulkSource(
            key: key, isLastUse: isLastUse, reference: reference, byteCount: window.byteCount,
            sentCount: sentCount(of: window), numberSize: numberSize, needs: needs,
            loadPacked: { try await self.read(window, at: position, packing: $0) })
    }

    /// The keys of the masters that a node needs to calibrate samples; nil if the image is scanned as it is.
    private nonisolated var needs: [BulkKey]? { frame?.masters.map(\.key) }

    /// Bytes that are sent to a node for a window, about: samples travel as they are stored if that is shorter than floats.
    private nonisolated func sentCount(of window: WindowPixels) -> Int {
        let bits = abs(summary.bitpix)
        guard bits < 32 else { return window.byteCount }
        let samples = window.rect.area * MemoryLayout<Float>.size
        // The mask of a calibration is made with the pixels.
        let mask = window.hasMask && summary.mask == nil ? window.rect.area : 0
        return window.byteCount - mask - samples + samples * bits / 32
    }

    /// Bytes that are sent to a node per cost of the tasks of a whole scan, about.
    public nonisolated var sentBytesPerCost: Double {
        let pixels = PixelRect(x: 0..<summary.width, y: 0..<1)
        return Double(sentCount(of: contents(of: pixels))) / (ImageTask.costPerPixel * Double(summary.width))
    }

    /// The pixels of the window `rect` as the bulk bytes of a task that is not one of a scan.
    package nonisolated func source(of rect: PixelRect) -> BulkSource {
        source(of: contents(of: rect), at: nil, key: nil, isLastUse: false)
    }
}
