/// The frames that cannot be used, each with the reason.
package struct FrameFailures: Error, Sendable, CustomStringConvertible {
    /// The reasons, each with the name of its frame, in the order of the frames.
    package let reasons: [String]

    package init(_ reasons: [String]) { self.reasons = reasons }

    /// Number of frames that a message names.
    private static let shown = 5

    package var description: String {
        let rest = reasons.count - Self.shown
        return reasons.prefix(Self.shown).joined(separator: "; ") + (rest > 0 ? "; and \(rest) more frames" : "")
    }
}
