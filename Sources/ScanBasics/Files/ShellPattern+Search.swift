#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension ShellPattern {
    /// Returns the paths that match a pattern, in the order of their bytes, and the folders that would have to be
    /// searched but cannot be read.
    package static func search(_ pattern: String) -> (paths: [String], unreadable: [String]) {
        guard let parts = components(of: pattern), let place = parts.firstIndex(of: anyFolders) else {
            return (globbed(pattern), [])
        }
        let start = (pattern.hasPrefix("/") ? "/" : "") + parts[..<place].joined(separator: "/")
        let rest = Array(parts[place...])
        var (paths, unreadable): (Set<String>, Set<String>) = ([], [])
        for folder in start.isEmpty ? ["."] : isPattern(start) ? globbed(start) : [start] {
            var status = stat()
            guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
            let tree = FolderTree(below: folder)
            let skipped = folder.hasSuffix("/") ? folder.utf8.count : folder.utf8.count + 1
            for path in tree.files {
                let below = String(decoding: path.utf8.dropFirst(skipped), as: UTF8.self)
                guard matches(below.split(separator: "/").map(String.init), rest) else { continue }
                paths.insert(start.isEmpty ? below : path)
            }
            unreadable.formUnion(tree.unreadable)
        }
        return (paths.sorted(by: FolderTree.precedes), unreadable.sorted(by: FolderTree.precedes))
    }

    /// Returns the paths that match a pattern, in the order of their bytes.
    package static func paths(matching pattern: String) -> [String] { search(pattern).paths }

    private static func globbed(_ pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, GLOB_NOSORT, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
            .sorted(by: FolderTree.precedes)
    }
}
