/// Lines at the end of a terminal's screen that are drawn over again and again. Makes the texts to write; pure.
///
/// The cursor rests at the beginning of the first line, wherever that is after the window was resized, so that all can
/// be erased without knowing how lines were broken. Nothing is left switched off between two writes.
struct ScreenBlock: Sendable {
    private(set) var isDrawn = false

    /// Draws `lines` in the place of those before.
    mutating func draw(_ lines: [String]) -> String {
        isDrawn = true
        let up = lines.count > 1 ? "\u{1b}[\(lines.count - 1)A" : ""
        // Without wrapping, for the moment: the window may have become narrower.
        return "\r\u{1b}[?7l" + lines.joined(separator: "\u{1b}[K\r\n") + "\u{1b}[J" + up + "\r\u{1b}[?7h"
    }

    /// Leaves nothing of the lines; more text may follow.
    mutating func erase() -> String {
        defer { isDrawn = false }
        // The first line by itself: some terminals keep what was on a screen that is cleared as a whole.
        return isDrawn ? "\r\u{1b}7\u{1b}[K\u{1b}[B\u{1b}[J\u{1b}8" : ""
    }
}
