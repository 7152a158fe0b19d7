/// Position of a window in a pass over all bands.
package struct PassPosition {
    /// Whether another pass follows.
    package var isFirstPass: Bool
    /// The windows after it, nearest first: ``ReadingOrder/mostAhead`` of them, or all remaining ones.
    package var following: [WindowPixels]
    /// Number of all windows after it.
    package var rest: Int

    package init(isFirstPass: Bool, following: [WindowPixels], rest: Int) {
        (self.isFirstPass, self.following, self.rest) = (isFirstPass, following, rest)
    }
}

/// Predicts which windows of a pass will be requested next. Attempts request them concurrently, and so in any order.
package struct ReadingOrder {
    /// Most windows that are read ahead of any request.
    package static let mostAhead = 2

    private let limit: Int
    private var handed: Set<WindowPixels> = []
    private var isFirstPass = false
    /// The windows to read ahead, nearest first.
    package private(set) var next: [WindowPixels] = []

    /// The order for `slots` slots of this process. One window per slot is read ahead if the pixels have to be
    /// decompressed, since slots may become free at the same time; otherwise one per two slots, since reading plain
    /// pixels takes less time than the system needs to provide memory for one more window.
    package init(slots: Int, decompresses: Bool) {
        limit = max(1, min(decompresses ? slots : slots / 2, Self.mostAhead))
    }

    /// The first pass will begin with `windows`.
    package mutating func expect(_ windows: [WindowPixels]) {
        (isFirstPass, next) = (true, Array(windows.prefix(limit)))
    }

    /// Notes that `window` was requested.
    package mutating func hand(_ window: WindowPixels, at position: PassPosition) {
        if position.isFirstPass != isFirstPass { (isFirstPass, handed, next) = (position.isFirstPass, [], []) }
        handed.insert(window)
        // Windows already requested have contributed the windows that follow them.
        let new = position.following.filter { !handed.contains($0) }
        next = Array((new + next.filter { !handed.contains($0) && !new.contains($0) }).prefix(limit))
    }
}
