internal import ScanCluster

/// Pixels that were read and will be asked for once more: the last ones that fit into a number of bytes.
struct RecentWindows {
    private let limit: Int
    private var windows: [(window: WindowPixels, bytes: BulkBytes)] = []
    /// Bytes of all windows.
    private(set) var byteCount = 0

    /// None yet, and never more than `limit` bytes.
    init(limit: Int) { self.limit = limit }

    /// Whether the pixels of `window` are there.
    func contains(_ window: WindowPixels) -> Bool { windows.contains { $0.window == window } }

    /// Adds a window that is read before `rest` others like it, unless these will not leave room for it.
    mutating func add(_ window: WindowPixels, _ bytes: BulkBytes, before rest: Int = 0) {
        _ = take(window)
        guard rest < limit / max(1, bytes.count) else { return }
        windows.append((window, bytes))
        byteCount += bytes.count
        while byteCount > limit { byteCount -= windows.removeFirst().bytes.count }
    }

    /// Removes a window.
    /// - Returns: its pixels, nil if they are not there.
    mutating func take(_ window: WindowPixels) -> BulkBytes? {
        guard let index = windows.firstIndex(where: { $0.window == window }) else { return nil }
        let bytes = windows.remove(at: index).bytes
        byteCount -= bytes.count
        return bytes
    }
}
