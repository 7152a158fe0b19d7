#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Patterns of the shell for names of files.
package enum ShellPattern {
    /// Whether a path has a character that makes it a pattern.
    package static func isPattern(_ path: String) -> Bool { path.contains { "*?[".contains($0) } }

    /// The paths that match a pattern, in alphabetical order.
    package static func paths(matching pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }

    /// Whether a name of a file matches a pattern for one; a first dot only matches a dot.
    package static func matches(_ name: String, _ pattern: String) -> Bool {
        fnmatch(pattern, name, FNM_PERIOD | FNM_PATHNAME) == 0
    }

    /// Whether an absolute path is one that `paths(matching:)` could find for a pattern: component by component, with none
    /// that leads elsewhere.
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
