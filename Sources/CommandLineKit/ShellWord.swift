/// Quotes a word for a shell if necessary.
package func quotedForShell(_ word: String) -> String {
    let plain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./=,:+@%".contains($0)) }
    return plain && !word.isEmpty ? word : "'\(withinSingleQuotes(word))'"
}

/// Escapes text for single quotes of a shell.
func withinSingleQuotes(_ text: String) -> String { text.replacing("'", with: "'\\''") }
