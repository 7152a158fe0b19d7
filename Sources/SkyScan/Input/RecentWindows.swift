package import ScanCluster

/// A cache of pixels that will be requested once more: the last windows read, up to a number of bytes.
package struct RecentWindows {
    private let limit: Int
    private var windows: [(window: WindowPixels, bytes: BulkBytes)] = []
    /// Bytes of all cached windows.
    package private(set) var byteCount = 0

    /// An empty cache of at most `limit` bytes.
    package init(limit: Int) { self.limit = limit }

    /// Whether the pixels of `window` are cached.
    package func contains(_ window: WindowPixels) -> Bool { windows.contains { $0.window == window } }

    /// Adds a window that is read before `rest` others of its size, unless these will displace it.
    package mutating func add(_ window: WindowPixels, _ bytes: BulkBytes, before rest: Int = 0) {
        _ = take(window)
        guard rest < limit / max(1, bytes.count) else { return }
        windows.append((window, bytes))
        byteCount += bytes.count
        while byteCount > limit { byteCount -= windows.removeFirst().bytes.count }
    }

    /// Removes a window.
    /// - Returns: its pixels; nil if they are not cached.
    package mutating func take(_ window: WindowPixels) -> BulkBytes? {
        guard let index = windows.firstIndex(where: { $0.window == window }) else { return nil }
        let bytes = windows.remove(at: index).bytes
        byteCount -= bytes.count
        return bytes
    }
}
