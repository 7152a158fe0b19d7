/// The escape sequences that redraw lines at the end of a terminal's screen. Performs no I/O.
///
/// The cursor stays at the beginning of the first line, so that all lines can be erased even if resizing the window has
/// wrapped them. Terminal modes are restored within each write.
package struct ScreenBlock: Sendable {
    package private(set) var isDrawn = false

    package init() {}

    /// Returns the text that replaces the previously drawn lines by `lines`.
    package mutating func draw(_ lines: [String]) -> String {
        isDrawn = true
        let up = lines.count > 1 ? "\u{1b}[\(lines.count - 1)A" : ""
        // Line wrapping is disabled meanwhile, since the window may have become narrower.
        return "\r\u{1b}[?7l" + lines.joined(separator: "\u{1b}[K\r\n") + "\u{1b}[J" + up + "\r\u{1b}[?7h"
    }

    package mutating func erase() -> String {
        defer { isDrawn = false }
        // The first line is erased separately: some terminals keep the content of a screen that is cleared as a whole.
        return isDrawn ? "\r\u{1b}7\u{1b}[K\u{1b}[B\u{1b}[J\u{1b}8" : ""
    }
}
