/// A word as a shell takes it.
func quotedForShell(_ word: String) -> String {
    let plain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./=,:+@%".contains($0)) }
    return plain && !word.isEmpty
        ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
