/// A fault in the text of a ``HeaderCondition``.
package struct ConditionError: Error, Equatable, CustomStringConvertible {
    /// The cause and the remedy.
    package let message: String
    /// The faulty place: characters before it in the text.
    package let offset: Int
    private let text: [Character]

    init(_ message: String, at offset: Int, of text: [Character]) {
        (self.message, self.offset, self.text) = (message, min(offset, text.count), text)
    }

    /// Characters that are shown before and after the place.
    private static let margin = 48

    /// The place and the message, in one line.
    package var description: String { "character \(offset + 1): \(message)" }

    /// The text around the place, and a caret below the place: two lines.
    package var excerpt: String {
        let start = offset > Self.margin ? offset - Self.margin : 0
        let end = min(text.count, offset + Self.margin)
        // A character that is not printed as one of the same width would displace the caret.
        let part = text[start..<end].map { $0.asciiValue.map { 0x20..<0x7f ~= $0 } == true ? $0 : "?" }
        let (before, after) = (start > 0 ? "..." : "", end < text.count ? "..." : "")
        let blanks = String(repeating: " ", count: before.count + offset - start)
        return "  \(before)\(String(part))\(after)\n  \(blanks)^"
    }
}
