#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Shell patterns for file names.
package enum ShellPattern {
    /// Whether a path contains a pattern character.
    package static func isPattern(_ path: String) -> Bool { path.contains { "*?[".contains($0) } }

    /// Returns the paths that match a pattern, in alphabetical order.
    package static func paths(matching pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }

    /// Whether a file name matches a pattern; a leading dot matches only a dot.
    package static func matches(_ name: String, _ pattern: String) -> Bool {
        fnmatch(pattern, name, FNM_PERIOD | FNM_PATHNAME) == 0
    }

    /// Whether `paths(matching:)` could return an absolute path for a pattern. Compares component by component and
    /// rejects `.` and `..` in the path.
    package static func matches(path: String, pattern: String) -> Bool {
        let (names, parts) = (path.split(separator: "/"), pattern.split(separator: "/").filter { $0 != "." })
        guard path.hasPrefix("/"), names.count == parts.count, !path.contains("//"), !path.hasSuffix("/") else {
            return false
        }
        return zip(names, parts).allSatisfy { name, part in
            name != "." && name != ".." && (name == part || matches(String(name), String(part)))
        }
    }
}
