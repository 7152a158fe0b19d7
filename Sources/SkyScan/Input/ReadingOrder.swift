/// Where a window stands in a pass over all bands.
struct PassPosition {
    /// Whether another pass follows.
    var isFirstPass: Bool
    /// The windows after it, nearest first: ``ReadingOrder/mostAhead``, or all that are left.
    var following: [WindowPixels]
    /// Number of all windows after it.
    var rest: Int
}

/// Guesses which windows of a pass will be asked for next, by slots that ask at the same time and so in any order.
struct ReadingOrder {
    /// Most windows that are read before anybody asks for them.
    static let mostAhead = 2

    private let limit: Int
    private var handed: Set<WindowPixels> = []
    private var isFirstPass = false
    /// The windows to read before somebody asks for them, nearest first.
    private(set) var next: [WindowPixels] = []

    /// For `slots` slots of this process: a window for each slot if the pixels have to be decompressed first, as slots may
    /// end their bands at the same time, and for every second slot if not. Plain pixels are read so quickly that the
    /// other slot waits less than the system takes to find memory for one more window.
    init(slots: Int, decompresses: Bool) {
        limit = max(1, min(decompresses ? slots : slots / 2, Self.mostAhead))
    }

    /// Notes that `window` was asked for.
    mutating func hand(_ window: WindowPixels, at position: PassPosition) {
        if position.isFirstPass != isFirstPass { (isFirstPass, handed, next) = (position.isFirstPass, [], []) }
        handed.insert(window)
        // Those that were asked for already have said what comes after them.
        let new = position.following.filter { !handed.contains($0) }
        next = Array((new + next.filter { !handed.contains($0) && !new.contains($0) }).prefix(limit))
    }
}
