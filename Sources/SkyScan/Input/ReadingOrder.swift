/// Position of a window in a pass over all bands.
struct PassPosition {
    /// Whether another pass follows.
    var isFirstPass: Bool
    /// The windows after it, nearest first: ``ReadingOrder/mostAhead`` of them, or all remaining ones.
    var following: [WindowPixels]
    /// Number of all windows after it.
    var rest: Int
}

/// Predicts which windows of a pass will be requested next. Attempts request them concurrently, and so in any order.
struct ReadingOrder {
    /// Most windows that are read ahead of any request.
    static let mostAhead = 2

    private let limit: Int
    private var handed: Set<WindowPixels> = []
    private var isFirstPass = false
    /// The windows to read ahead, nearest first.
    private(set) var next: [WindowPixels] = []

    /// The order for `slots` slots of this process. One window per slot is read ahead if the pixels have to be
    /// decompressed, since slots may become free at the same time; otherwise one per two slots, since reading plain
    /// pixels takes less time than the system needs to provide memory for one more window.
    init(slots: Int, decompresses: Bool) {
        limit = max(1, min(decompresses ? slots : slots / 2, Self.mostAhead))
    }

    /// The first pass will begin with `windows`.
    mutating func expect(_ windows: [WindowPixels]) { (isFirstPass, next) = (true, Array(windows.prefix(limit))) }

    /// Notes that `window` was requested.
    mutating func hand(_ window: WindowPixels, at position: PassPosition) {
        if position.isFirstPass != isFirstPass { (isFirstPass, handed, next) = (position.isFirstPass, [], []) }
        handed.insert(window)
        // Windows already requested have contributed the windows that follow them.
        let new = position.following.filter { !handed.contains($0) }
        next = Array((new + next.filter { !handed.contains($0) && !new.contains($0) }).prefix(limit))
    }
}
