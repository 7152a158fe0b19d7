/// The JSON that Python's `json` module writes: printable ASCII in one line, with NaN, Infinity and -Infinity among the
/// numbers. Pure.
struct PythonText {
    /// Levels of arrays and objects beyond those that `_values.py` writes.
    private static let deepest = 128

    private let bytes: ArraySlice<UInt8>
    private var place: Int

    /// Whether the bytes are one value. Those of a node may be anything, for example two lines, or the escape sequences of
    /// a terminal.
    static func isValue(_ bytes: ArraySlice<UInt8>) -> Bool {
        var text = PythonText(bytes: bytes, place: bytes.startIndex)
        return text.skipsValue(level: 0) && text.place == bytes.endIndex
    }

    private var next: UInt8? { place < bytes.endIndex ? bytes[place] : nil }

    private mutating func skips(_ byte: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: byte) else { return false }
        place += 1
        return true
    }

    private mutating func skipSpaces() { while skips(" ") {} }

    private mutating func skipsWord(_ word: StaticString) -> Bool {
        let isThere = word.withUTF8Buffer { bytes[place...].starts(with: $0) }
        if isThere { place += word.utf8CodeUnitCount }
        return isThere
    }

    /// Skips a value with the spaces around it. Each of these functions returns false if it finds something else.
    private mutating func skipsValue(level: Int) -> Bool {
        skipSpaces()
        defer { skipSpaces() }
        switch next.map(Unicode.Scalar.init) {
        case "[": return level < Self.deepest && skipsList(to: "]") { $0.skipsValue(level: level + 1) }
        case "{":
            return level < Self.deepest
                && skipsList(to: "}") { text in
                    text.skipSpaces()
                    guard text.skipsString() else { return false }
                    text.skipSpaces()
                    return text.skips(":") && text.skipsValue(level: level + 1)
                }
        case "\"": return skipsString()
        case "t": return skipsWord("true")
        case "f": return skipsWord("false")
        case "n": return skipsWord("null")
        case "N": return skipsWord("NaN")
        default: return skipsNumber()
        }
    }

    /// Skips elements with commas between them, and the characters around them.
    private mutating func skipsList(to end: Unicode.Scalar, _ element: (inout PythonText) -> Bool) -> Bool {
        place += 1
        skipSpaces()
        if skips(end) { return true }
        repeat { guard element(&self) else { return false } } while skips(",")
        return skips(end)
    }

    private mutating func skipsString() -> Bool {
        guard skips("\"") else { return false }
        while let byte = next {
            place += 1
            switch Unicode.Scalar(byte) {
            case "\"": return true
            case "\\": guard skipsEscape() else { return false }
            case " "..."~": break
            default: return false
            }
        }
        return false
    }

    /// Skips what follows a backslash.
    private mutating func skipsEscape() -> Bool {
        guard let byte = next else { return false }
        place += 1
        if byte != UInt8(ascii: "u") { return "\"\\/bfnrt".utf8.contains(byte) }
        let digits = bytes[place...].prefix(4)
        place += digits.count
        return digits.count == 4 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    private mutating func skipsNumber() -> Bool {
        _ = skips("-")
        if next == UInt8(ascii: "I") { return skipsWord("Infinity") }
        if !skips("0"), !skipsDigits() { return false }
        if skips("."), !skipsDigits() { return false }
        if skips("e") || skips("E") {
            if !skips("-") { _ = skips("+") }
            return skipsDigits()
        }
        return true
    }

    /// Skips one digit or more.
    private mutating func skipsDigits() -> Bool {
        let start = place
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
        return place > start
    }
}
