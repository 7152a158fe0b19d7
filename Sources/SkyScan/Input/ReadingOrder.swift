/// Guesses which window of a pass will be asked for next, by slots that ask at the same time and so in any order.
struct ReadingOrder {
    private var handed: Set<WindowPixels> = []
    private var isFirstPass = false
    /// The window to read before somebody asks for it, if any.
    private(set) var next: WindowPixels?

    /// Notes that `window` was asked for in one of the passes, after which, in order, comes `next`.
    mutating func hand(_ window: WindowPixels, before next: WindowPixels?, isFirstPass: Bool) {
        if isFirstPass != self.isFirstPass { (self.isFirstPass, handed) = (isFirstPass, []) }
        handed.insert(window)
        // What follows may have been asked for before: then that has said what comes now.
        if let next, handed.contains(next) { return }
        self.next = next
    }
}
