import CommandLineKit
import ScanBasics

/// The words as one line that a user may read, or give to a shell such as bash: characters that would begin another
/// line, or control a terminal, are written as in `$'a\012b'`.
package func commandLine(_ words: [String]) -> String {
    let quoted = words.map { word in
        if word.unicodeScalars.allSatisfy(\.isPrintable) { return quotedForShell(word) }
        let text = word.unicodeScalars.map { scalar in
            if scalar == "'" || scalar == "\\" { return "\\\(scalar)" }
            return scalar.isPrintable ? String(scalar) : String(scalar).utf8.map(octal).joined()
        }
        return "$'\(text.joined())'"
    }
    return quoted.joined(separator: " ")
}

/// Three octal digits, since a digit may follow.
private func octal(_ byte: UInt8) -> String { "\\\(byte >> 6)\(byte >> 3 & 7)\(byte & 7)" }
