#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Shell patterns for file names. A component `**` stands for any number of folders, also for none.
package enum ShellPattern {
    /// The component that stands for any number of folders.
    package static let anyFolders = "**"

    /// Components `**` of a pattern at most; what a search costs grows with them.
    package static let anyFoldersLimit = 8

    /// Whether a path contains a pattern character.
    package static func isPattern(_ path: String) -> Bool { path.contains { "*?[".contains($0) } }

    /// The components of a pattern, without empty ones and `.`, with one `**` for several in a row; a `**` at the end
    /// stands for all files below. Nil if it has more `**` than are allowed.
    package static func components(of pattern: String) -> [String]? {
        var parts: [String] = []
        for part in pattern.split(separator: "/") where part != "." {
            if part != anyFolders || parts.last != anyFolders { parts.append(String(part)) }
        }
        if parts.last == anyFolders { parts.append("*") }
        return parts.count { $0 == anyFolders } <= anyFoldersLimit ? parts : nil
    }

    /// Whether a file name matches a pattern; a leading dot matches only a dot.
    package static func matches(_ name: String, _ pattern: String) -> Bool {
        fnmatch(pattern, name, FNM_PERIOD | FNM_PATHNAME) == 0
    }

    /// Whether the components of a path match those of a pattern, as ``components(of:)`` returns them.
    package static func matches(_ names: [String], _ parts: [String]) -> Bool {
        // After each component of the pattern: whether it can end at each number of names.
        var reached = [true] + Array(repeating: false, count: names.count)
        for part in parts {
            var next = Array(repeating: false, count: names.count + 1)
            if part == anyFolders {
                next[0] = reached[0]
                for count in names.indices {
                    next[count + 1] = reached[count + 1] || next[count] && !names[count].hasPrefix(".")
                }
            } else {
                for count in names.indices where reached[count] {
                    next[count + 1] = names[count] == part || matches(names[count], part)
                }
            }
            reached = next
        }
        return reached[names.count]
    }

    /// Whether a search could return an absolute path for a pattern. Rejects `.` and `..` in the path.
    package static func matches(path: String, pattern: String) -> Bool {
        let names = path.split(separator: "/").map(String.init)
        guard path.hasPrefix("/"), path.firstRange(of: "//") == nil, !path.hasSuffix("/"),
            !names.contains(where: [".", ".."].contains), let parts = components(of: pattern)
        else { return false }
        return matches(names, parts)
    }
}
