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
}
