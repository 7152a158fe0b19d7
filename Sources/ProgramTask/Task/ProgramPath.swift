/// Names and paths of files in a task's folder, which come from the network. Pure.
package enum ProgramPath {
    /// Longest name of a file in bytes.
    static let longestName = 255

    /// Whether `name` is that of a file: one component, without a zero byte or line break, and not one of Skyfarm's own.
    package static func isName(_ name: some StringProtocol) -> Bool {
        (1...longestName).contains(name.utf8.count) && name != "." && name != ".." && !name.hasPrefix(".skyfarm")
            && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\n") }
    }

    /// Whether `path` is relative and consists of names.
    package static func isBelow(_ path: String) -> Bool {
        path.utf8.count < 4096 && path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy(isName)
    }

    /// Whether `name` names a program: up to 56 ASCII letters, digits, `-`, `_` and `.`, the first one no `-` or `.`.
    package static func isProgramName(_ name: String) -> Bool {
        guard (1...56).contains(name.utf8.count), name.first != "-", name.first != "." else { return false }
        return name.utf8.allSatisfy { byte in
            let character = Character(UnicodeScalar(byte))
            return byte < 128 && (character.isLetter || character.isNumber || "-_.".contains(character))
        }
    }
}
